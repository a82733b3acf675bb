import {
  ERROR_CATALOGUE,
  type ErrCode,
  EVERYWHERE,
  RETRYABLE_AT_TIMES,
  UNAUTHORIZED,
} from "../../protocol/errors.ts";
import type { JsonSchema } from "../graphql/scalars.ts";
import { HEADERS } from "./headers.ts";
import { markExtensible } from "./types.ts";

/** Stands for uuid and time in examples. */
export const STAMP = { uuid: "6f1c0d6e-2b8e-4f0a-8f57-2f2a4d5b9c11", t: 1_795_226_400_000 };

const UUID = {
  type: "string",
  format: "uuid",
  description: "Identifier of this response; quote it to support.",
};
const TIME = {
  type: "integer",
  format: "int64",
  minimum: 0,
  description: "The server's time, Unix milliseconds.",
};

/** Returns the envelope of a success. */
export const successSchema = (data: JsonSchema): JsonSchema => ({
  type: "object",
  required: ["code", "errMsg", "data", "uuid", "t"],
  properties: {
    code: { type: "integer", const: 200, description: "Application result: 200 means success." },
    errMsg: { type: "string", const: "", description: "Empty on success." },
    data: "$ref" in data ? data : { ...data, description: "What the endpoint answers." },
    uuid: UUID,
    t: TIME,
  },
});

/** Envelopes that failures come in (docs/api.md#general-rules). */
export const ENVELOPES: Readonly<Record<string, JsonSchema>> = {
  Unauthorized: {
    type: "object",
    description: "The one answer to every authentication or permission failure: it does not tell the cause.",
    required: ["code", "errMsg", "data", "uuid", "t"],
    properties: {
      code: { type: "integer", const: UNAUTHORIZED.code },
      errMsg: { type: "string", const: UNAUTHORIZED.message },
      data: { type: "null" },
      uuid: UUID,
      t: TIME,
    },
  },
  Failure: {
    type: "object",
    description: "The envelope of every other failure.",
    required: ["code", "errMsg", "data", "uuid", "t", "errCode", "param", "retryable"],
    properties: {
      code: { type: "integer", description: "The family of the error; never 200." },
      errMsg: { type: "string", description: "What is wrong, for people." },
      data: { type: "null" },
      uuid: UUID,
      t: TIME,
      errCode: { $ref: "#/components/schemas/ErrCode" },
      param: { type: ["string", "null"], description: "The offending field, or null." },
      retryable: { type: "boolean", description: "Whether the same call may succeed later." },
      revert: {
        type: ["string", "null"],
        description: "With CHAIN_REVERT: the name of the custom error that the contracts ended in.",
      },
      oldestCursor: {
        type: "string",
        description: "With CURSOR_EXPIRED: the cursor at which the log of events begins.",
      },
      docUrl: {
        type: "string",
        format: "uri",
        description: "The page about this errCode, where the deployment serves one.",
      },
    },
  },
  ErrCode: markExtensible("ErrCode", {
    type: "string",
    description: `The stable name of an error.\n\n${catalogueTable()}`,
    enum: Object.keys(ERROR_CATALOGUE),
  }),
};

function catalogueTable(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(
    ([errCode, { code, status, retryable, message }]) =>
      `| ${errCode} | ${code} | ${status} | ${retryable ? "yes" : "no"} | ${message} |`,
  );
  return ["| errCode | code | HTTP | retryable | Meaning |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** One of each failure, for `components.examples`. */
export const FAILURE_EXAMPLES: Readonly<Record<string, JsonSchema>> = {
  Unauthorized: { value: failed({ code: UNAUTHORIZED.code, errMsg: UNAUTHORIZED.message }) },
  ...Object.fromEntries(
    Object.entries(ERROR_CATALOGUE).map(([errCode, { code, message, retryable }]) => {
      const revert = errCode === "CHAIN_REVERT" ? { revert: "InsufficientBalanceWad" } : {};
      const oldest = errCode === "CURSOR_EXPIRED" ? { oldestCursor: "WzE3XQ" } : {};
      const value = {
        ...failed({ code, errMsg: message }),
        errCode,
        param: null,
        retryable,
        ...revert,
        ...oldest,
        docUrl: `https://api.example.com/docs/errors/${errCode}`,
      };
      return [errCode, { value }];
    }),
  ),
};

function failed({ code, errMsg }: { code: number; errMsg: string }): JsonSchema {
  return { code, errMsg, data: null, ...STAMP };
}

export function successExample(data: unknown): JsonSchema {
  return { code: 200, errMsg: "", data, ...STAMP };
}

/** The failures of every endpoint, beside its own: one reusable response for each HTTP status. */
export const SHARED_RESPONSES: Readonly<Record<string, JsonSchema>> = {
  NotFound: shared(404, "No such route."),
  BodyTooLarge: shared(413, "The body is larger than 64 KiB."),
  RateLimited: shared(429, "Too many requests: wait as long as Retry-After says."),
  InternalError: shared(500, "A fault of the service. The text says nothing about the inside."),
  Unavailable: shared(503, "The service, or something that it depends on, is down or late: try again."),
};

/** By HTTP status, for an operation's `responses`. */
export const SHARED_BY_STATUS: Readonly<Record<number, JsonSchema>> = Object.fromEntries(
  [404, 413, 429, 500, 503].map((status, index) => [
    status,
    { $ref: `#/components/responses/${Object.keys(SHARED_RESPONSES)[index]}` },
  ]),
);

function shared(status: number, description: string, own: readonly ErrCode[] = []): JsonSchema {
  const codes = [...EVERYWHERE, ...own].filter((errCode) => ERROR_CATALOGUE[errCode].status === status);
  return {
    description,
    headers: { ...HEADERS.always, ...headersOf(status) },
    content: {
      "application/json": { schema: families(codes), examples: Object.fromEntries(codes.map(exampleRef)) },
    },
  };
}

/** Returns the headers of a response; one that fails before the caller is known has none of these. */
function headersOf(status: number) {
  if (status === 429) return HEADERS.rateLimited;
  return status >= 500 ? HEADERS.authenticated : {};
}

/** Returns the HTTP 429 of an endpoint with refusals of that status of its own. */
export const limited = (own: readonly ErrCode[]): JsonSchema =>
  shared(429, "Too many requests: wait as long as Retry-After says. Or too many of what stays open.", own);

/** Returns the HTTP 400 of an endpoint: unauthorized, or one of its refusals. */
export function refusals(own: readonly ErrCode[]): JsonSchema {
  const codes = [...EVERYWHERE, ...own].filter((errCode) => ERROR_CATALOGUE[errCode].status === 400);
  const unauthorized = { $ref: "#/components/schemas/Unauthorized" };
  return {
    description: "Unauthorized, or refused.",
    headers: { ...HEADERS.always, ...HEADERS.authenticated, ...HEADERS.unauthorized },
    content: {
      "application/json": {
        schema: { anyOf: [unauthorized, families(codes)] },
        examples: Object.fromEntries([exampleRef("Unauthorized"), ...codes.map(exampleRef)]),
      },
    },
  };
}

/** Returns a failure with one of these errors: one alternative for each code of the envelope. */
function families(errCodes: readonly ErrCode[]): JsonSchema {
  const codes = new Set(errCodes.map((errCode) => ERROR_CATALOGUE[errCode].code));
  const alternatives = [...codes].map((code) => {
    const members = errCodes.filter((errCode) => ERROR_CATALOGUE[errCode].code === code);
    const retryable = [...new Set(members.flatMap(retryableOf))];
    return {
      allOf: [
        { $ref: "#/components/schemas/Failure" },
        {
          type: "object",
          properties: { code: { const: code }, errCode: { enum: members }, retryable: { enum: retryable } },
        },
      ],
    };
  });
  return alternatives.length === 1 && alternatives[0] ? alternatives[0] : { anyOf: alternatives };
}

function retryableOf(errCode: ErrCode): boolean[] {
  return RETRYABLE_AT_TIMES.has(errCode) ? [true, false] : [ERROR_CATALOGUE[errCode].retryable];
}

function exampleRef(name: string): [string, JsonSchema] {
  return [name, { $ref: `#/components/examples/${name}` }];
}
