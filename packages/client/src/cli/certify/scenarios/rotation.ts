import { createHmac } from "node:crypto";
import { canonicalUris } from "../../../../../../src/protocol/signing.ts";
import type { HttpExchange } from "../proxy.ts";
import { finding } from "../rules.ts";
import { describe, type Scenario } from "../scenario.ts";

/** Minimum overlap that the service accepts, seconds. */
const OVERLAP_S = 300;

export const rotation: Scenario = {
  title: "The secret is rotated, and the first answer with the new one is lost",
  rules: ["rotation-repeated", "rotation-used"],
  async run(bench) {
    let isLost = false;
    bench.proxy.setFaults((exchange) => {
      if (!isRotation(exchange) || isLost) return null;
      isLost = true;
      return { kind: "drop" };
    });
    const old = bench.key.apiSecret;
    const outcome = await bench.start("rotate", { overlapSeconds: OVERLAP_S }).ended;
    const rotations = bench.exchanges().filter(isRotation);
    if (rotations.length === 0) return {};
    const repeated = rotations.slice(1).filter(({ envelope }) => envelope?.code === 200);
    const secret = secretOf(rotations.filter(({ envelope }) => envelope?.code === 200).at(-1));
    if (secret !== undefined) bench.key.apiSecret = secret;
    const last = repeated.at(-1);
    const later = last === undefined ? [] : bench.exchanges().slice(bench.exchanges().indexOf(last) + 1);
    const isUsed = later.length > 0 && later.every((exchange) => isSignedWith(secret ?? "", exchange));
    return {
      "rotation-repeated": finding(
        repeated.length > 0 && repeated.every((exchange) => isSignedWith(old, exchange)),
        ...rotations.map(describe),
        ...(outcome.result === null ? [`the program has no result: ${outcome.reason}`] : []),
      ),
      ...(last !== undefined && {
        "rotation-used": finding(
          isUsed,
          ...later.map((exchange) => `${describe(exchange)}, ${signerOf(exchange, old, secret)}`),
          ...(later.length === 0 ? ["no request came after the rotation"] : []),
        ),
      }),
    };
  },
};

const isRotation = ({ method, uri }: HttpExchange) => method === "POST" && uri === "/api/v1/key/rotate";

const secretOf = (exchange: HttpExchange | undefined): string | undefined =>
  (exchange?.envelope?.data as { apiSecret?: string } | undefined)?.apiSecret;

function isSignedWith(secret: string, { method, uri, headers, body }: HttpExchange): boolean {
  const signedUri = canonicalUris(uri)?.sent ?? uri;
  const payload = [method, signedUri, headers["x-api-ts"], headers["x-api-nonce"], body].join("\n");
  return createHmac("sha256", secret).update(payload).digest("hex") === headers["x-api-sign"];
}

const signerOf = (exchange: HttpExchange, old: string, secret: string | undefined): string => {
  if (secret !== undefined && isSignedWith(secret, exchange)) return "signed with the new secret";
  return isSignedWith(old, exchange) ? "signed with the old secret" : "signed with another secret";
};
