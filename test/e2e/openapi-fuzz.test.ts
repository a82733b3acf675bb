import { beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { canary } from "../support/assert/logs.ts";
import { LONG } from "../support/assert/long.ts";
import { present } from "../support/assert/until.ts";
import { createControl } from "../support/http/control.ts";
import { at, type Operation, operations } from "../support/http/openapi.ts";
import { type Answer, type Bend, createPartner, type Partner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/**
 * Every operation of the OpenAPI document, asked with what it describes, with nearly that and with rubbish: nothing of it
 * is the service's fault, and every answer is one that the document describes (the partner looks).
 */
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const RUNS = LONG ? 100 : 10;

const state = readSandboxState();
const userSchema = z.object({
  address: z.string(),
  apiKey: z.string(),
  apiSecret: z.string().transform((secret) => canary("API secret", secret)),
  chainId: z.int(),
  productType: z.string(),
});
/** Made for this test: a key rotates a few times an hour, and other tests rotate theirs. */
let user: z.output<typeof userSchema>;
let partner: Partner;
beforeAll(async () => {
  user = userSchema.parse(await createControl(state.controlUrl).post("/users"));
  partner = createPartner(state.baseUrl, user);
});
/** Every HTTP status that was met. */
const answered = new Set<number>();

interface Field {
  name: string;
  schema: Record<string, unknown>;
}

const RUBBISH: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.constantFrom(
    "",
    "null",
    "0",
    "-1",
    "1e400",
    "0x",
    "NaN",
    " ",
    "\u0000",
    "__proto__",
    "1".repeat(300),
    "%",
    "'--",
  ),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
);

function fitting({ enum: words, pattern, type }: Field["schema"]): fc.Arbitrary<unknown> {
  if (Array.isArray(words)) return fc.constantFrom(...words);
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern));
  if (Array.isArray(type) && type.includes("integer")) return fc.integer();
  return fc.string({ unit: "grapheme-ascii", maxLength: 20 });
}

/** Returns existing values of the sandbox for a field of that name, so that some requests pass validation. */
function known(name: string): fc.Arbitrary<unknown> {
  const chain = present(
    state.chains.find(({ chainId }) => chainId === user.chainId),
    "the key's chain",
  );
  const tokens = [...chain.cashTokens, ...chain.stockTokens].map(({ address }) => address);
  const values: Record<string, unknown[]> = {
    userAddress: [user.address],
    userId: [user.address],
    stockAddress: tokens,
    tokenAddress: tokens,
    symbol: [...chain.stockTokens.map(({ symbol }) => symbol), "AAPL"],
    deadline: [Math.floor(Date.now() / 1000) + 3_600, 1],
    notional: ["20", 20],
    quantity: ["0.5", ".0000001"],
    price: ["2"],
    timeInForce: ["DAY"],
    tokenAmount: ["5", "0.0000001"],
  };
  const some = values[name];
  return some ? fc.constantFrom(...some) : RUBBISH;
}

const argument = ({ name, schema }: Field) =>
  fc.oneof(
    { arbitrary: known(name), weight: 5 },
    { arbitrary: fitting(schema), weight: 3 },
    { arbitrary: RUBBISH, weight: 2 },
  );

/** Generates the usual value, and in one of ten cases another one. */
const seldom = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 9 }, { arbitrary: other, weight: 1 });

/** Returns some of the fields, and sometimes an unknown one. */
function argumentsOf(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>> {
  const some = fc.record(Object.fromEntries(fields.map((field) => [field.name, argument(field)])), {
    requiredKeys: [],
  });
  return fc
    .tuple(some, seldom({}, fc.record({ unknown: RUBBISH })))
    .map(([one, other]) => ({ ...one, ...other }));
}

/** Bodies that are no JSON object, signed as they are sent. */
const RAW_BODIES = [
  "[]",
  "1",
  '"',
  "{",
  '{"a":1,"a":2}',
  `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
  "\u00e9",
  "\ufeff{}",
];

function bodyFields({ pointer }: Operation): Field[] {
  const properties = at(`${pointer}/requestBody/content/application~1json/schema/properties`);
  return Object.entries(Object(properties)).map(([name, schema]) => ({ name, schema: Object(schema) }));
}

function parametersIn({ spec }: Operation, location: "path" | "query"): Field[] {
  const list = Array.isArray(spec.parameters) ? spec.parameters : [];
  return list.filter((parameter) => parameter.in === location);
}

const inPath = (value: unknown) =>
  encodeURIComponent(asText(value)).replaceAll(/%../g, "~").slice(0, 500) || "~";
const asText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

async function call({ method, path }: Operation, asked: Asked): Promise<Answer> {
  const filled = path
    .replace("/api/v1", "")
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => inPath(asked.path[name]));
  const bend: Bend = { headers: asked.headers };
  if (method === "GET") {
    const query = Object.entries(asked.query).map(([name, value]) => [name, asText(value)]);
    return partner.get(filled, Object.fromEntries(query), bend);
  }
  const { raw } = asked;
  if (raw !== null) {
    bend.sentBody = raw;
    bend.payload = (parts) => [parts.method, parts.uri, parts.ts, parts.nonce, raw].join("\n");
  }
  if (method === "DELETE") return partner.delete(filled, bend);
  return partner.post(filled, asked.body, bend);
}

interface Asked {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
  raw: string | null;
  headers: Record<string, string>;
}

const HEADERS: readonly Record<string, string>[] = [
  { "x-min-block": "x" },
  { "idempotency-key": "two words" },
  { "idempotency-key": "a".repeat(300) },
];

const askedOf = (operation: Operation): fc.Arbitrary<Asked> =>
  fc.record({
    path: fc.record(
      Object.fromEntries(parametersIn(operation, "path").map((field) => [field.name, argument(field)])),
    ),
    query: argumentsOf(parametersIn(operation, "query")),
    body: argumentsOf(bodyFields(operation)),
    raw: seldom<string | null>(null, fc.constantFrom(...RAW_BODIES)),
    headers: seldom({}, fc.constantFrom(...HEADERS)),
  });

/** Asked of every operation, whatever the seed: nothing but its path, and a field that nobody knows. */
const PLAIN: Asked = { path: {}, query: {}, body: {}, raw: null, headers: {} };
const EXAMPLES: [Asked][] = [[PLAIN], [{ ...PLAIN, query: { unknown: "1" }, body: { unknown: "1" } }]];

it.each(operations.map((operation) => [String(operation.spec.operationId), operation] as const))(
  `%s answers whatever it is asked (FUZZ_SEED=${SEED})`,
  async (_id, operation) => {
    // A send that is refused costs no gas and no time.
    if (operation.path.endsWith("/send")) await partner.must(partner.post("/1ct/disable"));
    await fc.assert(
      fc.asyncProperty(askedOf(operation), async (asked) => {
        const { status, body } = await call(operation, asked);
        answered.add(status);
        expect({ status, body, isOurFault: status >= 500 }).toEqual({ status, body, isOurFault: false });
      }),
      { seed: SEED, numRuns: RUNS, examples: EXAMPLES },
    );
  },
);

it("got through with some, and was refused with others", () => {
  expect([...answered]).toEqual(expect.arrayContaining([200, 400]));
});
