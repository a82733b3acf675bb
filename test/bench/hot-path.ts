import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createPartner, type PartnerKey } from "../support/partner.ts";
import type { SandboxState } from "../support/sandbox-state.ts";
import { present, until } from "../support/until.ts";
import { withSandbox } from "./sandbox.ts";

/**
 * `npm run bench`: the hot path, an authenticated `GET /orders/{orderId}` as partners poll it, against a server written
 * by hand for this one answer (hand-written.ts). Same machine, same database, same order, same signed requests, in
 * turns. Prints requests per second and latencies of every round; any answer but 200 ends it with an error.
 */
const ROUNDS = 3;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const CONNECTIONS = 32;

interface Target {
  name: string;
  url: string;
}

await withSandbox(async (state, databaseUrl) => {
  const key = present(
    state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress === null),
    "a WRITABLE key",
  );
  const path = `/api/v1/orders/${await filledOrder(state, key)}`;
  const { child, port } = await startHandWritten(databaseUrl, key);
  try {
    const targets = [
      { name: "by hand", url: `http://127.0.0.1:${port}` },
      { name: "this", url: state.baseUrl },
    ];
    for (const target of targets) await round(target, path, key, 3);
    for (let i = 0; i < ROUNDS; i++) {
      for (const target of targets) print(target, await round(target, path, key, SECONDS));
    }
  } finally {
    child.kill("SIGTERM");
  }
});

/** Buys a little at market, as a partner who submits himself. @returns the id of the order, once it is filled */
async function filledOrder(state: SandboxState, key: PartnerKey): Promise<string> {
  const partner = createPartner(state.baseUrl, key);
  const chain = present(
    state.chains.find(({ chainId }) => chainId === key.chainId),
    "the key's chain",
  );
  const user = present(state.users[1], "a user");
  const { toAddress, callData } = await partner.must(
    partner.post<{ toAddress: Hex; callData: Hex }>("/orders/calldata", {
      stockAddress: present(chain.stockTokens[0], "a stock token").address,
      side: "Buy",
      type: "Market",
      notional: "100",
      deadline: Math.floor(Date.now() / 1000) + 600,
      userAddress: user.address,
    }),
  );
  const wallet = createWalletClient({
    account: privateKeyToAccount(user.privateKey as Hex),
    transport: http(chain.rpcUrl),
  });
  const txHash = await wallet.sendTransaction({ to: toAddress, data: callData, chain: null });
  await partner.must(partner.post("/orders/tx", { txHash }));
  return until("the order filled", async () => {
    const order = await partner.must(
      partner.get<{ orderId: string; status: string }>(`/orders/tx/${txHash}`),
    );
    return order.status === "Filled" ? order.orderId : undefined;
  });
}

function startHandWritten(databaseUrl: string, key: PartnerKey) {
  const file = fileURLToPath(new URL("hand-written.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file], {
    env: { ...process.env, DATABASE_URL: databaseUrl, API_KEY: key.apiKey, API_SECRET: key.apiSecret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise<{ child: ChildProcess; port: number }>((resolve) => {
    child.stdout.once("data", (chunk) => resolve({ child, port: Number(String(chunk)) }));
  });
}

function signed(path: string, key: PartnerKey): Record<string, string> {
  const ts = String(Date.now());
  const nonce = randomUUID();
  return {
    "x-api-key": key.apiKey,
    "x-api-ts": ts,
    "x-api-nonce": nonce,
    "x-api-chain-id": String(key.chainId),
    "x-api-p": key.productType,
    "x-api-sign": createHmac("sha256", key.apiSecret).update(`GET\n${path}\n${ts}\n${nonce}\n`).digest("hex"),
  };
}

async function round(target: Target, path: string, key: PartnerKey, duration: number) {
  const result = await autocannon({
    url: target.url,
    connections: CONNECTIONS,
    duration,
    requests: [
      { method: "GET", path, setupRequest: (request) => ({ ...request, headers: signed(path, key) }) },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${target.name}: ${result.non2xx} answers other than 200, ${result.errors} errors`);
  }
  return result;
}

function print({ name }: Target, { requests, latency }: autocannon.Result): void {
  const rate = `${Math.round(requests.average)}/s`.padStart(9);
  process.stdout.write(
    `${name.padEnd(8)} ${rate}  p50 ${latency.p50} ms  p99 ${latency.p99} ms  max ${latency.max} ms\n`,
  );
}
