import { createHmac, randomUUID } from "node:crypto";
import type { Call, SigningKey } from "./job.ts";

/** Headers of one signed request, with a nonce of its own; they are valid for 45 s. */
export function signedHeaders(
  { method, path }: Pick<Call, "method" | "path">,
  key: SigningKey,
): Record<string, string> {
  const ts = String(Date.now());
  const nonce = randomUUID();
  return {
    "x-api-key": key.apiKey,
    "x-api-ts": ts,
    "x-api-nonce": nonce,
    "x-api-chain-id": String(key.chainId),
    "x-api-p": key.productType,
    "x-api-sign": createHmac("sha256", key.apiSecret)
      .update(`${method}\n${path}\n${ts}\n${nonce}\n`)
      .digest("hex"),
  };
}

/** Returns the bytes of a signed request. */
export function serialize(call: Call, host: string, keys: readonly SigningKey[]): Buffer {
  const key = call.key === undefined ? undefined : keys[call.key];
  if (call.key !== undefined && !key) throw new Error(`no key ${call.key} signs ${call.path}`);
  const headers: Record<string, string> = {
    host,
    ...(key ? signedHeaders(call, key) : {}),
    ...(call.body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(call.body)) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${call.method} ${call.path} HTTP/1.1\r\n${lines.join("")}\r\n${call.body ?? ""}`);
}
