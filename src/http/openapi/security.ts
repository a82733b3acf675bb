import { createHmac } from "node:crypto";
import { API_PREFIX, payloadHead, SIGNING_HEADERS, TIMESTAMP_WINDOW_MS } from "../../protocol/signing.ts";
import type { JsonSchema } from "../graphql/scalars.ts";

const DESCRIPTIONS: Readonly<Record<keyof typeof SIGNING_HEADERS, string>> = {
  apiKey: "The API key.",
  timestamp: `Current UTC time in Unix milliseconds, at most ${TIMESTAMP_WINDOW_MS / 1000} s from the server's.`,
  nonce: "A new UUID for each request; one that was used is refused.",
  chainId: "The chain: a configured one that the key is allowed.",
  product: "The product, in its exact case.",
  signature:
    "The signature of the request: hex HMAC-SHA256, as the description of this document says under Authentication.",
};

const schemeName = (field: string) => field.charAt(0).toUpperCase() + field.slice(1);

/** The six headers of authentication, for `components.securitySchemes`. */
export const SECURITY_SCHEMES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(SIGNING_HEADERS).map(([field, name]) => [
    schemeName(field),
    { type: "apiKey", in: "header", name, description: DESCRIPTIONS[field as keyof typeof SIGNING_HEADERS] },
  ]),
);

/** All six together. */
export const SECURITY: readonly JsonSchema[] = [
  Object.fromEntries(Object.keys(SIGNING_HEADERS).map((field) => [schemeName(field), []])),
];

/** Describes authentication, with an example that a partner's code can be held against. */
export const AUTHENTICATION = authentication();

function authentication(): string {
  const secret = "sk_example";
  const parts = {
    method: "POST",
    uri: `${API_PREFIX}/orders/tx`,
    timestamp: "1795226400000",
    nonce: "3f2b8a4e-6c1d-4b7a-9e5f-000000000001",
  };
  const body = `{"txHash":"0x${"ab".repeat(32)}"}`;
  const payload = payloadHead(parts) + body;
  const sign = createHmac("sha256", secret).update(payload, "utf8").digest("hex");
  const indented = payload.split("\n").map((line) => `    ${line}`);
  const { timestamp, nonce, signature } = SIGNING_HEADERS;
  return `Every request below \`${API_PREFIX}\` carries six headers: ${Object.values(SIGNING_HEADERS)
    .map((name) => `\`${name}\``)
    .join(
      ", ",
    )}. \`${timestamp}\` is at most ${TIMESTAMP_WINDOW_MS / 1000} s from the server's time, and \`${nonce}\` is a new UUID each time.

\`${signature}\` is the hex HMAC-SHA256 of a payload, with the API secret as the key, both in UTF-8. The payload is five lines, joined by a newline, with none at the end: METHOD, URI, timestamp, nonce, BODY.

- METHOD is in upper case.
- URI is the path from \`${API_PREFIX}\`, without host and without a deployment's prefix. A query follows as \`?\` and its pairs \`name=value\` as they are sent, sorted by name, joined by \`&\`. Where no decoded name or value contains \`& = ? # % +\` or a control character, the percent-decoded pairs are accepted, too. Names are ASCII and never repeated.
- BODY is the bytes of the body exactly as they are sent; empty where there is none.

An example, with the secret \`${secret}\`. The payload is

${indented.join("\n")}

and its signature is

    ${sign}`;
}
