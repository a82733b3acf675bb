import type { AuthCause } from "../../auth/checks.ts";

/** Checks for each cause of a 401, by the sandbox's header; a new cause without a line does not compile. */
const CHECKS: Readonly<Record<AuthCause, string>> = {
  "header missing":
    "Send all six: `x-api-key`, `x-api-ts`, `x-api-nonce`, `x-api-chain-id`, `x-api-p`, `x-api-sign`.",
  "header repeated": "A proxy or an interceptor may add a second one.",
  "header malformed": "Values are 1 to 128 characters of printable ASCII.",
  "key unknown": "`x-api-key` is the key's id, not its secret, and of this deployment.",
  "key inactive": "Ask the operator for a new key.",
  "key expired": "Ask the operator to rotate the key.",
  "secret unreadable": "A fault of the service: report the `uuid`.",
  "timestamp malformed": "`x-api-ts` is Unix milliseconds: 13 digits, not 10.",
  "timestamp outside the window": "Compare your clock with `t` of the answer. Sign just before you send.",
  "nonce malformed": "`x-api-nonce` is a UUID.",
  "nonce reused": "Make a nonce and a signature for each try.",
  "uri not canonical":
    "Send the path from `/api/v1` on, without `%`, dot segments or a lone `?` at its end. No parameter stands twice.",
  "signature wrong": "The payload or the secret: see above.",
  "address unknown": "The service cannot read your address: report the `uuid`.",
  "address not allowed": "Have the operator add your address as others see it, IPv4 or IPv6.",
  "method not allowed": "The key is READ_ONLY: POST and DELETE need a WRITABLE one.",
  "chain malformed": "`x-api-chain-id` is the chain's id in decimal digits.",
  "scope not granted": "`x-api-chain-id` and `x-api-p`, in its exact case, are not those of the key.",
  "scope not served": "This deployment does not serve that chain and product.",
};

export const CAUSE_ROWS: readonly (readonly [cause: string, check: string])[] = Object.entries(CHECKS).map(
  ([cause, check]) => [`\`${cause}\``, check],
);

/** Order of causes by their frequency. */
export const UNAUTHORIZED_STEPS = [
  "Run `partner-trading sign GET /orders status=New limit=5 --explain` with your own method, path, query and body (`@body.json`). It shows the string to sign, and how far your clock is off.",
  "With `--signature`, `--timestamp` and `--nonce` as your program sent them it finds the mistake, with `--payload` the first difference from what you signed.",
  "Look up the header `x-sandbox-auth-cause`, which the sandbox alone sends, below.",
  "Check that your address is on the key's IP whitelist, and your clock within 45 s of `t` in the answer.",
  "Sign exactly five lines (`docs/authentication.md`), joined by newlines (byte 0x0A, not the two characters `\\n`): method in capitals, path with query, timestamp, nonce, body (or nothing).",
  "Sign the path from `/api/v1` on, without host or a proxy's prefix. Sort the query by name before you sign, and send it in that order.",
  "Sign the very bytes of the body that you send: a library that writes the JSON again changes them.",
  "Check that key and secret belong together, without a blank or a line break at their ends.",
] as const;

export const UNAUTHORIZED_CAUSE = [
  "Authentication or permission failed, at any endpoint. All causes have one answer, so that it does not help an attacker: HTTP status 400, without `errCode` and `docUrl`. The operator finds the cause in the log, under the `uuid`.",
] as const;

export const UNAUTHORIZED_RETRY =
  "Only where the timestamp or nonce was at fault: sign again, with a new nonce. An address that fails 2,000 times in ten seconds gets HTTP 429.";
