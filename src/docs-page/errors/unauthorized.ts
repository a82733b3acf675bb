import type { AuthCause } from "../../auth/checks.ts";

/** Checks for each cause of a 401, by the sandbox's header; a new cause without a line does not compile. */
const CHECKS: Readonly<Record<AuthCause, string>> = {
  "header missing":
    "Send all six headers: `x-api-key`, `x-api-ts`, `x-api-nonce`, `x-api-chain-id`, `x-api-p`, `x-api-sign`.",
  "header repeated": "Send each of them once. A proxy or an interceptor may add a second one.",
  "header malformed": "Their values are 1 to 128 characters of printable ASCII.",
  "key unknown":
    "`x-api-key` is the key's id, not its secret, and of this deployment: sandbox keys are not production's.",
  "key inactive": "The key was revoked. Ask the operator for a new one.",
  "key expired": "The key's time is over. Ask the operator to rotate it.",
  "secret unreadable": "The fault is the service's. Report the `uuid`.",
  "timestamp malformed": "`x-api-ts` is Unix milliseconds: 13 digits, not 10.",
  "timestamp outside the window":
    "`x-api-ts` is more than 45 s off. Compare your clock with `t` of the answer, and sign just before you send: not before a queue or a retry.",
  "nonce malformed": "`x-api-nonce` is a UUID.",
  "nonce reused":
    "Make a new nonce for each try, and sign it anew. A repeated request is refused although the first one failed.",
  "uri not canonical":
    "The path has no `%`, no dot segments and no lone `?` at its end, and no parameter stands twice. Send the path from `/api/v1`, not the whole URL.",
  "signature wrong": "See the list above: it is the payload or the secret.",
  "address unknown": "The service cannot read the caller's address. Report the `uuid`.",
  "address not allowed":
    "The address that you call from is not on the key's whitelist. Look it up as others see it, for IPv4 and IPv6 both, and have the operator add it.",
  "method not allowed": "The key is READ_ONLY: it may GET. POST and DELETE need a WRITABLE key.",
  "chain malformed": "`x-api-chain-id` is the chain's id in decimal digits.",
  "scope not granted":
    "`x-api-chain-id` and `x-api-p` are not those of the key. `x-api-p` is compared in its exact case.",
  "scope not served": "This deployment does not serve that chain and product.",
};

export const CAUSE_ROWS: readonly (readonly [cause: string, check: string])[] = Object.entries(CHECKS).map(
  ([cause, check]) => [`\`${cause}\``, check],
);

/** Order of causes by their frequency. */
export const UNAUTHORIZED_STEPS = [
  "Run `partner-trading sign GET /orders status=New limit=5 --explain` with your own method, path and query; `@body.json` names a file with the body. It shows the string that is signed, line by line, and how far your clock is from the server's.",
  "Run it with `--signature`, `--timestamp` and `--nonce` as your program sent them: it finds the mistake that makes your signature. With `--payload` it finds the first difference from what you signed.",
  "Against the sandbox, read the header `x-sandbox-auth-cause` of the answer, and its row below. Production never sends it.",
  "Check that your address is on the key's IP whitelist, also after you moved to another host.",
  "Check that your clock is within 45 s of `t` in the answer.",
  "Sign exactly five lines, joined by newlines (byte 0x0A, not the two characters `\\n`): method in capitals, path with query, timestamp, nonce, body.",
  "Sort the query by name before you sign, and send it in the same order.",
  "Sign the very bytes of the body that you send. A library that writes the JSON again changes them. Without a body the fifth line is empty.",
  "Sign the path from `/api/v1` on, without host, and without the prefix of a proxy.",
  "Check that key and secret belong together, and that neither has a blank or a line break at its end.",
  "Compare your signing code with the examples in `docs/authentication.md`, which CI runs.",
] as const;

export const UNAUTHORIZED_CAUSE = [
  "Authentication or permission failed. All causes look the same, so that an attacker learns nothing of which check failed. Such an answer has neither `errCode` nor `docUrl`, and its HTTP status is 400.",
  "The operator finds the cause in the log, under the `uuid` of the answer.",
] as const;

export const UNAUTHORIZED_RETRY =
  "Only where the timestamp or nonce was at fault: sign again, with a new nonce. An address that fails 2,000 times in ten seconds is answered HTTP 429.";
