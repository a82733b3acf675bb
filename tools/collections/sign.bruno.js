// Signs each request (docs/authentication.md), sorting and encoding its query: the signed text is the sent one.
const { HmacSHA256 } = require("crypto-js");
const { v4 } = require("uuid");

const missing = ["baseUrl", "apiKey", "apiSecret", "chainId", "productType"].filter(
  (name) => !bru.getEnvVar(name),
);
if (missing.length > 0) throw new Error(`Set ${missing.join(", ")} in the environment`);

const [url, search = ""] = bru.interpolate(req.getUrl()).split(/\?(.*)/s);
req.setUrl(url);
const pairs = search
  .split("&")
  .filter(Boolean)
  .map((pair) => pair.split(/=(.*)/s))
  .map(([name, value = ""]) => ({ name, text: `${name}=${encodeURIComponent(decodeURIComponent(value))}` }))
  .sort((one, other) => (one.name < other.name ? -1 : 1));
const query = pairs.map(({ text }) => text).join("&");
// With the path's parameters in their places.
const path = bru.interpolate(req.getPath().replaceAll("%7B", "{").replaceAll("%7D", "}"));
const uri = path.slice(path.indexOf("/api/v1/")) + (query && `?${query}`);
req.setUrl(`${url.slice(0, url.indexOf("/api/v1/"))}${uri}`);

const body = bru.interpolate(req.getBody({ raw: true }) ?? "");
// Variables that change at each use, as {{$guid}}, are resolved once.
if (body) req.setBody(body, { raw: true });

const timestamp = String(Date.now());
const nonce = v4();
const payload = [req.getMethod(), uri, timestamp, nonce, body].join("\n");
const headers = {
  "x-api-key": bru.getEnvVar("apiKey"),
  "x-api-ts": timestamp,
  "x-api-nonce": nonce,
  "x-api-chain-id": String(bru.getEnvVar("chainId")),
  "x-api-p": bru.getEnvVar("productType"),
  "x-api-sign": HmacSHA256(payload, bru.getEnvVar("apiSecret")).toString(),
};
for (const [name, value] of Object.entries(headers)) req.setHeader(name, value);
