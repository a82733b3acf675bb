import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { urlPath, urlQuery } from "../support/assert/arbitrary-text.ts";
import { LONG } from "../support/assert/long.ts";
import { NO_CHECKPOINTS, ROUTES, type SmallServer, startSmallServer } from "../support/http/http.ts";
import { sendRaw } from "../support/http/raw-http.ts";

// Arbitrary bytes are answered with an envelope and never with a 5xx.
let small: SmallServer;
beforeAll(async () => {
  small = await startSmallServer({
    timeouts: { headers: 200, request: 200 },
    checkpoints: { ...NO_CHECKPOINTS, reached: async () => undefined },
  });
});
afterAll(() => small.server.stop());

const envelope = z.strictObject({
  code: z.int(),
  errMsg: z.string(),
  data: z.json(),
  uuid: z.uuid(),
  t: z.int(),
  errCode: z.string().optional(),
  param: z.string().nullable().optional(),
  retryable: z.boolean().optional(),
});

const latin1 = fc.uint8Array({ maxLength: 40 }).map((bytes) =>
  Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(/[\r\n]/g, " "),
);
const path = fc.oneof(
  fc.constantFrom(...ROUTES.map((route) => `/api/v1${route.path}`)),
  urlPath.map((sent) => `/api/v1${sent}`),
  latin1,
);
const query = fc.oneof(
  fc.constant(""),
  urlQuery.map((sent) => `?${sent}`),
  latin1.map((sent) => `?word=${sent}`),
);
const header = fc.tuple(
  fc.oneof(
    fc.constantFrom("x-api-key", "x-min-block", "content-type", "expect", "accept", "x-forwarded-for"),
    latin1,
  ),
  latin1,
);
const body = fc.oneof(
  fc.json(),
  fc.json().map((text) => `{"deep":${text}}`),
  latin1,
  fc.constant(""),
);

it("answers any request with an envelope", async () => {
  const request = fc.record({
    method: fc.oneof(fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH"), latin1),
    target: fc.tuple(path, query).map((parts) => parts.join("")),
    headers: fc.array(header, { maxLength: 5 }),
    body,
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, target, headers, body: text }) => {
      fc.pre(!target.includes("/hold"));
      const bytes = Buffer.from(text, "utf8");
      const head = [
        `${method} ${target} HTTP/1.1`,
        "host: x",
        "connection: close",
        ...headers.map(([name, value]) => `${name}: ${value}`),
        ...(bytes.length > 0 ? [`content-length: ${bytes.length}`] : []),
      ];
      const answer = await sendRaw(
        small.baseUrl,
        Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), bytes]),
      );
      const { status } = answer;
      expect({ status, body: answer.body, isOurFault: status >= 500 }).toEqual({
        status,
        body: answer.body,
        isOurFault: false,
      });
      const parsed = envelope.parse(JSON.parse(answer.body));
      expect(parsed.uuid).toBe(answer.headers.get("x-request-id"));
      expect({ ...parsed, isSuccess: parsed.code === 200 }).toEqual({ ...parsed, isSuccess: status === 200 });
    }),
    { numRuns: LONG ? 400 : 150 },
  );
});
