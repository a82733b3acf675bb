import { createHmac, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { present } from "../support/assert/until.ts";
import { withSandbox } from "./sandbox/start.ts";

/**
 * `npm run bench:auth`: whether the time of a refusal tells that a key exists. An unknown key and a known one with a
 * wrong secret, in turns over one connection, so that whatever else the machine does hits both alike. Prints how often the one
 * took longer than the other right after it: 50 % tells nothing.
 */
const EACH = Number(process.env.BENCH_REQUESTS ?? 10_000);
const PATH = "/api/v1/config";

await withSandbox(async ({ state: { baseUrl, keys } }) => {
  const known = present(keys[0], "a key");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (apiKey: string) => refusalUs(baseUrl, agent, apiKey, known);
  const unknown = () => `${known.apiKey.slice(0, -6)}${randomUUID().slice(0, 6)}`;
  const times = { unknown: [] as number[], wrong: [] as number[] };
  for (let i = 0; i < 500; i++) await ask(unknown());
  for (let i = 0; i < EACH; i++) {
    // Who goes first alternates too.
    if (i % 2 === 0) times.unknown.push(await ask(unknown()));
    times.wrong.push(await ask(known.apiKey));
    if (i % 2 === 1) times.unknown.push(await ask(unknown()));
  }
  agent.destroy();
  const longer = times.unknown.filter((us, i) => us > (times.wrong[i] ?? 0)).length;
  print("unknown key", times.unknown);
  print("wrong secret", times.wrong);
  process.stdout.write(`the unknown key took longer in ${((100 * longer) / EACH).toFixed(2)} % of pairs\n`);
});

/** @returns microseconds until the whole answer was there */
function refusalUs(
  baseUrl: string,
  agent: Agent,
  apiKey: string,
  scope: { chainId: number; productType: string },
): Promise<number> {
  const ts = String(Date.now());
  const nonce = randomUUID();
  const signature = createHmac("sha256", "not the secret").update(`GET\n${PATH}\n${ts}\n${nonce}\n`);
  const headers = {
    "x-api-key": apiKey,
    "x-api-ts": ts,
    "x-api-nonce": nonce,
    "x-api-chain-id": String(scope.chainId),
    "x-api-p": scope.productType,
    "x-api-sign": signature.digest("hex"),
  };
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const sent = request(`${baseUrl}${PATH}`, { agent, headers }, (response) => {
      if (response.statusCode !== 400) return reject(new Error(`HTTP ${response.statusCode}, expected 400`));
      response.resume().once("end", () => resolve(Number(process.hrtime.bigint() - started) / 1000));
    });
    sent.once("error", reject).end();
  });
}

function print(name: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => `${Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)} us`;
  process.stdout.write(`${name.padEnd(12)} p10 ${at(0.1)}  p50 ${at(0.5)}  p90 ${at(0.9)}\n`);
}
