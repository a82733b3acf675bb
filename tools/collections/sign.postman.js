// Signs each request (docs/authentication.md). Encodes its query, so that the signed text is the sent one.
const { HmacSHA256 } = require("crypto-js");

const missing = ["baseUrl", "apiKey", "apiSecret", "chainId", "productType"].filter(
  (name) => !pm.variables.get(name),
);
if (missing.length > 0) throw new Error(`Set ${missing.join(", ")} in the environment`);
const resolve = (text) => pm.variables.replaceIn(String(text ?? ""));

const pairs = pm.request.url.query
  .filter(({ disabled }) => !disabled)
  .map(({ key, value }) => ({ key, value: encodeURIComponent(decodeURIComponent(resolve(value))) }))
  .sort((one, other) => (one.key < other.key ? -1 : 1));
pm.request.url.query.assimilate(pairs, true);
const query = pairs.map(({ key, value }) => `${key}=${value}`).join("&");
const path = resolve(pm.request.url.getPath());
const uri = path.slice(path.indexOf("/api/v1/")) + (query && `?${query}`);

const body = resolve(pm.request.body?.raw);
// Variables that change at each use, as {{$guid}}, are resolved once.
if (body) pm.request.body.update({ mode: "raw", raw: body, options: { raw: { language: "json" } } });

const timestamp = String(Date.now());
const nonce = resolve("{{$guid}}");
const payload = [pm.request.method, uri, timestamp, nonce, body].join("\n");
const headers = {
  "x-api-key": resolve("{{apiKey}}"),
  "x-api-ts": timestamp,
  "x-api-nonce": nonce,
  "x-api-chain-id": resolve("{{chainId}}"),
  "x-api-p": resolve("{{productType}}"),
  "x-api-sign": HmacSHA256(payload, resolve("{{apiSecret}}")).toString(),
};
for (const [key, value] of Object.entries(headers)) pm.request.headers.upsert({ key, value });
