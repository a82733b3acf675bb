import { type SampleCall, targetOf } from "./call.ts";

/** Makes a UUID of openssl's random bytes: a POSIX shell has none of its own. */
const UUID = String.raw`openssl rand -hex 16 | sed 's/^\(.\{8\}\)\(.\{4\}\).\(.\{3\}\).\(.\{3\}\)/\1-\2-4\3-8\4-/'`;

/** Returns the call with curl, signed by openssl, for any POSIX shell. */
export function curlSample(call: SampleCall): string {
  const { method, clientMethod, body, isSend, isStream } = call;
  const options = [
    `-H "x-api-key: $PARTNER_TRADING_API_KEY"`,
    `-H "x-api-ts: $ts" -H "x-api-nonce: $nonce"`,
    `-H "x-api-chain-id: $PARTNER_TRADING_CHAIN_ID"`,
    `-H "x-api-p: $PARTNER_TRADING_PRODUCT"`,
    `-H "x-api-sign: $sign"`,
    ...(isSend ? [`-H 'idempotency-key: ${clientMethod}-1'`] : []),
    ...(body ? [`-H 'content-type: application/json' --data-raw "$body"`] : []),
  ];
  return `# PARTNER_TRADING_BASE_URL, _API_KEY, _API_SECRET, _CHAIN_ID and _PRODUCT are set.
uri='${targetOf(call)}'
body='${body ? JSON.stringify(body) : ""}'
ts=$(date +%s)000
nonce=$(${UUID})
sign=$(printf '${method}\\n%s\\n%s\\n%s\\n%s' "$uri" "$ts" "$nonce" "$body" |
  openssl dgst -sha256 -hmac "$PARTNER_TRADING_API_SECRET" -r | cut -d ' ' -f 1)
curl ${isStream ? "-sSN" : "-sS"} -X ${method} "$PARTNER_TRADING_BASE_URL$uri" \\
  ${options.join(" \\\n  ")}
`;
}
