import { createHmac } from "node:crypto";
import { API_PREFIX, payloadHead, SIGNING_HEADERS, TIMESTAMP_WINDOW_MS } from "../../protocol/signing.ts";
import type { JsonSchema } from "../graphql/scalars.ts";

const DESCRIPTIONS: Readonly<Record<keyof typeof SIGNING_HEADERS, string>> = {
  apiKey: "The API key.",
  timestamp: `Current UTC time in Unix milliseconds, at most ${TIMESTAMP_WINDOW_MS / 1000} s from the server's.`,
  nonce: "A new UUID for each request; one that was used is refused.",
  chainId: "The chain: a configured one that the key is allowed.",
  product: "The product, in its exact case.",
  signature: signing(),
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

/** Returns how to sign, with an example that a partner's code can be held against. */
function signing(): string {
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
  return `hex( HMAC-SHA256( key = the API secret in UTF-8, payload in UTF-8 ) ), in either case.

The payload is five lines, joined by the newline character (byte 0x0A), with none at the end:

    METHOD
    URI
    the value of ${SIGNING_HEADERS.timestamp}
    the value of ${SIGNING_HEADERS.nonce}
    BODY

- METHOD: upper case.
- URI: the path from \`${API_PREFIX}/...\`, without host and without a deployment's prefix. Where there is a query: \`?\` and its
  pairs \`name=value\` sorted by name, joined by \`&\`. Pairs stand as they are sent; where no decoded name or value contains
  \`& = ? # % +\` or a control character, the percent-decoded pairs are accepted too. Names are ASCII and never repeated.
- BODY: the raw bytes of the body exactly as they are sent; empty where there is none.

An example, with the secret \`${secret}\`. The payload is

${payload
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}

and its signature is

    ${sign}`;
}
