import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { registerWallet } from "../../src/transactions/sender/lease.ts";
import { createLocalSigner } from "../../src/transactions/signer/signer.ts";
import type { Fault } from "../support/rpc-proxy.ts";
import { type SendProcess, type SendProcessOptions, startSendProcess } from "../support/send-processes.ts";
import { minedFrom, type Rig, startRig } from "../support/sender-rig.ts";
import { present, until } from "../support/until.ts";

/**
 * FAULTS 2 and 3 together, and the promise itself: two replicas and two workers on one database, 500 sends from 20
 * clients who repeat what was not answered, while processes are killed at random instants and the node's line is cut.
 */
const CLIENTS = 20;
const SENDS_EACH = 25;
const STORM_MS = 45_000;
/** Printed with a failure, so that the same storm can be had again. */
const SEED = Number(process.env.STORM_SEED ?? Date.now() % 1_000_000);

let rig: Rig;
const keys = [generatePrivateKey(), generatePrivateKey()];
const wallets = keys.map((key) => createLocalSigner(key).address);
const running = new Map<string, SendProcess>();

beforeAll(async () => {
  rig = await startRig({ blockTimeSeconds: 1 });
  for (const wallet of wallets) {
    await rig.chain.setBalance({ address: wallet, value: 10n ** 21n });
    await registerWallet(rig.pool, rig.caller.chainId, wallet);
  }
}, 60_000);
afterAll(async () => {
  await Promise.all([...running.values()].map((one) => one.kill()));
  await rig?.close();
});

function optionsOf(name: string): SendProcessOptions {
  const shared = { databaseUrl: rig.databaseUrl, rpcUrls: [rig.proxy.url], caller: rig.caller };
  return name.startsWith("worker") ? { role: "worker", ...shared, keys } : { role: "replica", ...shared };
}

async function restart(name: string): Promise<void> {
  const before = running.get(name);
  running.delete(name);
  await before?.kill();
  running.set(name, await startSendProcess(optionsOf(name)));
}

/** Numbers from 0 up to 1 that a seed decides. */
function dice(seed: number): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${seed}/${count++}`).digest().readUInt32BE() / 2 ** 32;
}

function weather(roll: () => number): () => Fault | undefined {
  return () => {
    const luck = roll();
    if (luck < 0.03) return "lose-reply";
    if (luck < 0.06) return "lose-request";
    if (luck < 0.07) return { status: 502, body: "<html>" };
    if (luck < 0.08) return { error: { code: -32603, message: "internal error" } };
    return undefined;
  };
}

async function storm(roll: () => number, over: () => boolean): Promise<number> {
  const names = ["worker-1", "worker-2", "replica-1", "replica-2"];
  const endMs = Date.now() + STORM_MS;
  const calm = weather(roll);
  let kills = 0;
  while (!over() && Date.now() < endMs) {
    await restart(present(names[Math.floor(roll() * names.length)], "a name"));
    kills++;
    rig.proxy.rule = roll() < 0.3 ? () => "lose-request" : calm;
    await sleep(300 + roll() * 1_200);
  }
  rig.proxy.rule = calm;
  for (const name of names) if (!running.has(name)) await restart(name);
  return kills;
}

interface Call {
  idempotencyKey: string;
  user: Hex;
  wallet: Hex;
  subject: string;
}
interface Reply {
  requestId: string;
  status: string;
  final: boolean;
  txHash: Hex | null;
}

/** Repeats a call on either replica until somebody answers. */
async function insist(call: Call, roll: () => number): Promise<Reply> {
  return until(
    `an answer to ${call.subject}`,
    async () => {
      const replicas = [...running].filter(([name]) => name.startsWith("replica"));
      const [, replica] = replicas[Math.floor(roll() * replicas.length)] ?? [];
      if (!replica) return undefined;
      const response = await fetch(`http://127.0.0.1:${replica.port}`, {
        method: "POST",
        body: JSON.stringify(call),
        signal: AbortSignal.timeout(8_000),
      }).catch(() => null);
      return response?.status === 200 ? ((await response.json()) as Reply) : undefined;
    },
    120_000,
  );
}

it("every request is on the chain once, whatever dies, and every client learns so by repeating its call", async () => {
  const roll = dice(SEED);
  await Promise.all(["worker-1", "worker-2", "replica-1", "replica-2"].map(restart));
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const user: Hex = `0x${randomBytes(20).toString("hex")}`;
      const wallet = present(wallets[client % wallets.length], "a wallet");
      await rig.pool.query(
        "INSERT INTO app.delegation (chain_id, product_type, user_address, delegatee) VALUES ($1, $2, $3, $4)",
        [rig.caller.chainId, rig.caller.productType, user, wallet],
      );
      return Array.from({ length: SENDS_EACH }, (_, index): Call => {
        const subject = `client ${client}, send ${index}, seed ${SEED}`;
        return { idempotencyKey: `${client}-${index}`, user, wallet, subject };
      });
    }),
  );
  let done = false;
  const chaos = storm(roll, () => done);
  const answered = await Promise.all(
    clients.map(async (calls) => {
      const replies: [Call, Reply][] = [];
      for (const call of calls) replies.push([call, await insist(call, roll)]);
      return replies;
    }),
  );
  done = true;
  expect(await chaos).toBeGreaterThan(3);
  rig.proxy.rule = null;
  await until(
    "all are final",
    async () => {
      const { rows } = await rig.pool.query(
        `SELECT r.state, w.state AS wallet, w.state_reason, count(*)::int AS n FROM app.send_request r
         JOIN app.delegatee_wallet w ON w.address = r.wallet WHERE r.state <> 'final' GROUP BY 1, 2, 3`,
      );
      if (rows.length > 0) throw new Error(JSON.stringify(rows));
      return true;
    },
    90_000,
  );
  const mined = await Promise.all(wallets.map((wallet) => minedFrom(rig, wallet)));
  for (const list of mined) expect(list.map(({ nonce }) => nonce)).toEqual(list.map((_, index) => index));
  const onChain = new Map(mined.flat().map(({ input, hash }) => [input, hash]));
  expect(mined.flat()).toHaveLength(CLIENTS * SENDS_EACH);
  expect(onChain.size).toBe(CLIENTS * SENDS_EACH);
  for (const [call, first] of answered.flat()) {
    const last = await insist(call, roll);
    const data: Hex = `0x${createHash("sha256").update(call.subject).digest("hex")}`;
    expect(last).toMatchObject({ requestId: first.requestId, status: "confirmed", final: true });
    expect(last.txHash).toBe(onChain.get(data));
  }
}, 240_000);
