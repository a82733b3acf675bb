import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { buildApiSchema } from "../../src/api/schema.ts";
import type { Deps } from "../../src/context/deps.ts";
import type { RequestContext } from "../../src/context/request.ts";
import { BODY_MAX_BYTES } from "../../src/http/body.ts";
import { toApiError } from "../../src/http/failures.ts";
import { createRest } from "../../src/http/rest/sofa.ts";
import { createLog } from "../../src/log/log.ts";

// Every field of every route at its largest: refused by its form alone, and cheaply.
const rest = createRest(buildApiSchema(), ENDPOINTS);

const CPU_MS_MAX = 50;
const TRIES = 3;

/** Values as long as a body may be, each bad for one kind of expression. */
const LARGEST: Record<string, string> = {
  zeros: "0".repeat(BODY_MAX_BYTES),
  "zeros and a one": `${"0".repeat(BODY_MAX_BYTES - 1)}1`,
  "a fraction of zeros and a one": `0.${"0".repeat(BODY_MAX_BYTES - 3)}1`,
  nines: "9".repeat(BODY_MAX_BYTES),
  "an exponent": `1e${"9".repeat(BODY_MAX_BYTES - 2)}`,
  "hex digits": `0x${"a".repeat(BODY_MAX_BYTES - 2)}`,
  "hex digits and no hex digit": `0x${"a".repeat(BODY_MAX_BYTES - 3)}!`,
  blanks: `${" ".repeat(BODY_MAX_BYTES - 1)}x`,
  letters: "A".repeat(BODY_MAX_BYTES),
  dashes: "-".repeat(BODY_MAX_BYTES),
};

/** Whatever is more than a check of form would use these. */
const unused = (name: string) => {
  const fail = (): never => {
    throw new Error(`${name} was used before the input was refused`);
  };
  return new Proxy(fail, { get: fail });
};
const untouchable = new Proxy({ now: Date.now } as Deps, {
  get: (deps, name) => (name === "now" ? deps.now : unused(String(name))),
});
const log = createLog("test", "silent");

function context(): RequestContext {
  const scope = { chainId: 31337, productType: "Spot" };
  return {
    deps: untouchable,
    caller: {
      keyId: "11111111-1111-4111-8111-111111111111",
      apiKey: "pk_test",
      access: "WRITABLE",
      userAddress: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
      ...scope,
    },
    scope,
    uuid: "22222222-2222-4222-8222-222222222222",
    log,
    indexedBlock: null,
    idempotencyKey: "key",
  };
}

const propertiesShape = z.record(
  z.string(),
  z.looseObject({
    example: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    maxLength: z.int().optional(),
  }),
);

const FIELDS = ENDPOINTS.flatMap((route) => {
  if (!route.input) return [];
  const { properties } = z.toJSONSchema(route.input, { io: "input", unrepresentable: "any" });
  return Object.entries(propertiesShape.parse(properties)).map(([field, schema]) => ({
    route,
    field,
    schema,
    others: propertiesShape.parse(properties),
  }));
});

/** What a request needs beside the field. */
function argsWith(field: string, value: string, others: z.output<typeof propertiesShape>) {
  const examples = Object.entries(others).map(([name, schema]) => [name, schema.example ?? schema.enum?.[0]]);
  return { ...Object.fromEntries(examples), [field]: value };
}

it("covers every route that takes input", () => {
  expect(FIELDS.length).toBeGreaterThan(120);
  expect(new Set(FIELDS.map(({ route }) => route.path)).size).toBeGreaterThan(25);
});

describe.each(FIELDS)("$route.method $route.path: $field", ({ route, field, schema, others }) => {
  it("has a length that the OpenAPI document shows", () => {
    expect(schema.enum !== undefined || (schema.maxLength ?? Number.POSITIVE_INFINITY) <= 16_386).toBe(true);
  });

  it.each(Object.entries(LARGEST))(
    `takes less than ${CPU_MS_MAX} ms of CPU to refuse %s`,
    async (_name, value) => {
      const args = argsWith(field, value, others);
      const spent: number[] = [];
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const before = process.cpuUsage();
        const refusal = await rest.call({ route, args, context: context() }).then(() => null, toApiError);
        const { user, system } = process.cpuUsage(before);
        spent.push((user + system) / 1_000);
        expect({ errCode: refusal?.errCode, param: refusal?.param }).toEqual({
          errCode: "VALIDATION_FAILED",
          param: field,
        });
        if (Math.min(...spent) < CPU_MS_MAX) break;
      }
      expect(Math.min(...spent)).toBeLessThan(CPU_MS_MAX);
    },
  );
});
