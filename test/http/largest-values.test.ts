import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ENDPOINTS } from "../../src/api/endpoints.ts";
import { buildApiSchema } from "../../src/api/schema.ts";
import type { Deps } from "../../src/context/deps.ts";
import type { RequestContext } from "../../src/context/request.ts";
import { BODY_MAX_BYTES } from "../../src/http/body.ts";
import { toApiError } from "../../src/http/failures.ts";
import { createRest } from "../../src/http/rest/sofa.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { present } from "../support/assert/until.ts";

// Every field of every route at its largest: refused by its form alone, and cheaply, whatever the value.
const rest = createRest(buildApiSchema(), ENDPOINTS);

const CPU_MS_MAX = 50;
const TRIES = 3;

/** Values as long as a body may be, each bad for one kind of expression. */
const LARGEST = {
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

/** Dependencies that only checks beyond a field's form would use. */
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

/** A number for each function: those that are equal are one. */
const functions = new Map<unknown, number>();

/** Describes all that a schema checks. Fields of the same shape run the same checks, with the same functions. */
const shapeOf = (schema: z.core.$ZodType): string =>
  JSON.stringify(schema, (key, value) => {
    // The refusal's message.
    if (key === "error") return undefined;
    if (typeof value === "function") {
      functions.set(value, functions.get(value) ?? functions.size);
      return `function ${functions.get(value)}`;
    }
    if (typeof value === "bigint" || value instanceof RegExp) return String(value);
    if (value instanceof Set) return [...value];
    return value?._zod?.def ?? value;
  });

const FIELDS = ENDPOINTS.flatMap((route) => {
  if (!route.input) return [];
  const { properties } = z.toJSONSchema(route.input, { io: "input", unrepresentable: "any" });
  const others = propertiesShape.parse(properties);
  return Object.entries(others).map(([field, schema]) => {
    const own = present(route.input?.shape[field], field);
    return { route, field, schema, others, shape: shapeOf(own) };
  });
});

/** The first field of each shape. */
const SHAPES = [...new Map(FIELDS.toReversed().map((field) => [field.shape, field])).values()].toReversed();

/** Adds the other arguments that a request with this field needs. */
function argsWith(field: string, value: string, others: z.output<typeof propertiesShape>) {
  const examples = Object.entries(others).map(([name, schema]) => [name, schema.example ?? schema.enum?.[0]]);
  return { ...Object.fromEntries(examples), [field]: value };
}

it("covers every route that takes input", () => {
  expect(FIELDS.length).toBeGreaterThan(120);
  expect(new Set(FIELDS.map(({ route }) => route.path)).size).toBeGreaterThan(25);
});

/** Expects that a value of a field is refused by its form. @returns the CPU that this took, ms */
async function refuse({ route, field, others }: (typeof FIELDS)[number], value: string): Promise<number> {
  const args = argsWith(field, value, others);
  const before = process.cpuUsage();
  const refusal = await rest.call({ route, args, context: context() }).then(() => null, toApiError);
  const { user, system } = process.cpuUsage(before);
  expect({ errCode: refusal?.errCode, param: refusal?.param }).toEqual({
    errCode: "VALIDATION_FAILED",
    param: field,
  });
  return (user + system) / 1_000;
}

describe.each(FIELDS)("$route.method $route.path: $field", (field) => {
  it("has a length that the OpenAPI document shows, and is refused by its form", async () => {
    const { schema } = field;
    expect(schema.enum !== undefined || (schema.maxLength ?? Number.POSITIVE_INFINITY) <= 16_386).toBe(true);
    await refuse(field, LARGEST.letters);
  });
});

// The checks of a field refuse its values: fields with the same checks take the same time.
describe.each(SHAPES)("the form of $field of $route.method $route.path", (field) => {
  it.each(Object.entries(LARGEST))(
    `takes less than ${CPU_MS_MAX} ms of CPU to refuse %s`,
    async (_name, value) => {
      const spent: number[] = [];
      for (let attempt = 0; attempt < TRIES; attempt++) {
        spent.push(await refuse(field, value));
        if (Math.min(...spent) < CPU_MS_MAX) break;
      }
      expect(Math.min(...spent)).toBeLessThan(CPU_MS_MAX);
    },
  );
});
