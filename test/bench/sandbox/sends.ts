import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { rpc } from "../../../packages/sandbox/src/rpc.ts";
import { present } from "../../support/assert/until.ts";
import type { Send } from "../../support/http/answers.ts";
import type { Partner } from "../../support/http/partner.ts";
import { inAnHour, withKey } from "../../support/sender/sending.ts";
import type { Outcome } from "../load/job.ts";
import type { Section } from "../report/result.ts";
import { summarize } from "../rounds.ts";
import { createCpuMeter } from "./cpu.ts";
import { type EnabledPartner, enablePartner } from "./partner.ts";
import type { SandboxContext, SandboxScenario } from "./scenario.ts";

const CLIENTS = 32;
const SECONDS = 30;
/** Programs compile what they run often. */
const WARM_UP_SECONDS = 5;

/**
 * Sends with the sandbox's own node, until all orders are indexed: while it mines a block each second, and while it mines
 * each transaction at once.
 */
export const sends: SandboxScenario = async (context, report) => {
  const enabled = await enablePartner(context.state);
  const { rpcUrl } = enabled.chain;
  // The sandbox's own beat stops while the node does not mine transactions at once.
  await rpc(rpcUrl, "evm_setIntervalMining", [1]);
  report(await measureSends(context, enabled, INDEXED_BY_SECOND));
  await rpc(rpcUrl, "evm_setAutomine", [true]);
  report(await measureSends(context, enabled, INDEXED_AT_ONCE));
};

/** State at which a send counts, as SQL and as its caller sees it. */
interface Goal {
  title: string;
  name: string;
  /** Counts the requests that have come so far. */
  count: string;
  check: (send: Send) => boolean;
}

/** A caller sees an order in the rows of their key, which follow the index by a step, once the worker has the receipt, too. */
const INDEXED: Omit<Goal, "title"> = {
  name: "POST /orders/send",
  count: `SELECT count(*)::int FROM app.send_request r JOIN app.key_order o
    ON o.chain_id = r.chain_id AND o.tx_hash = r.tx_hash AND o.order_id IS NOT NULL
    WHERE r.operation = 'orders/send' AND r.state IN ('mined', 'final')`,
  check: ({ mapping }) => present(mapping, "a mapping").orderId !== null,
};
const INDEXED_BY_SECOND: Goal = {
  ...INDEXED,
  title: "Sends through one wallet for 30 s, a block each second, until all orders are indexed",
};
const INDEXED_AT_ONCE: Goal = {
  ...INDEXED,
  title: "Sends through one wallet for 30 s, each transaction mined at once, until all orders are indexed",
};

/** For nodes whose transactions emit no events. */
export const MINED: Goal = {
  title: "Sends through one wallet for 30 s, a stub in place of the node, until all are mined",
  name: "POST /orders/send",
  count: `SELECT count(*)::int FROM app.send_request WHERE operation = 'orders/send' AND state IN ('mined', 'final')`,
  check: ({ status }) => status === "confirmed",
};

interface SentOrder {
  idempotencyKey: string;
  body: object;
}

interface Sending {
  sent: SentOrder[];
  answers: { atMs: number; tookMs: number }[];
}

/** Sends market orders by 32 clients at once, and waits until the last one has come to the goal. */
async function sendFor(
  seconds: number,
  adminUrl: string,
  { partner, stockAddress }: Pick<EnabledPartner, "partner" | "stockAddress">,
  goal: Goal,
): Promise<Sending> {
  const earlier = await countSends(adminUrl, goal);
  const endMs = performance.now() + seconds * 1000;
  const answers: Sending["answers"] = [];
  const sent: SentOrder[] = [];
  await inParallel(CLIENTS, async () => {
    while (performance.now() < endMs) {
      const body = { stockAddress, side: "Buy", type: "Market", notional: "4", deadline: inAnHour() };
      const send = { idempotencyKey: randomUUID(), body };
      sent.push(send);
      const sentMs = performance.now();
      await post(partner, send);
      answers.push({ atMs: performance.now(), tookMs: performance.now() - sentMs });
    }
  });
  await untilCounted(adminUrl, goal, earlier + sent.length);
  return { sent, answers };
}

/**
 * Measures sends a second until the last one has come to the goal, how long answers take, and the processor time that a
 * send costs each program. Reads each send once more afterwards.
 */
export async function measureSends(
  context: Pick<SandboxContext, "directory" | "adminUrl" | "isQuick">,
  enabled: Pick<EnabledPartner, "partner" | "stockAddress">,
  goal: Goal,
): Promise<Section> {
  const { adminUrl, isQuick } = context;
  const scale = isQuick ? 0.1 : 1;
  const cpuSeconds = await createCpuMeter(context.directory, adminUrl);
  const warmUp = await sendFor(WARM_UP_SECONDS * scale, adminUrl, enabled, goal);
  const before = cpuSeconds();
  const startedMs = performance.now();
  const { sent, answers } = await sendFor(SECONDS * scale, adminUrl, enabled, goal);
  const elapsedMs = performance.now() - startedMs;
  const after = cpuSeconds();
  await checkAll(enabled.partner, [...warmUp.sent, ...sent], goal);
  await checkNonces(adminUrl);
  return {
    scenario: "sends",
    title: goal.title,
    connections: CLIENTS,
    series: [
      summarize({
        name: goal.name,
        outcomes: [
          outcomeOf(
            answers.map(({ tookMs }) => tookMs),
            elapsedMs,
          ),
        ],
      }),
    ],
    ratios: [],
    values: [
      {
        name: "longest time without an answer",
        value: longestPause(answers.map(({ atMs }) => atMs)),
        unit: "ms",
      },
      ...[...after].map(([name, used]) => ({
        name: `${name}, processor time of a send`,
        value: ((used - (before.get(name) ?? 0)) * 1000) / sent.length,
        unit: "ms",
      })),
    ],
  };
}

const post = (partner: Partner, { idempotencyKey, body }: SentOrder) =>
  partner.must(partner.post<Send>("/orders/send", body, withKey(idempotencyKey)));

const inParallel = (count: number, work: () => Promise<void>) =>
  Promise.all(Array.from({ length: count }, work));

const POLL_MS = 50;
const REACHED_WITHIN_MS = 120_000;

async function withClient<T>(adminUrl: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

const countSends = (adminUrl: string, { count }: Goal) =>
  withClient(adminUrl, async (client) => (await client.query<{ count: number }>(count)).rows[0]?.count ?? 0);

/** Asks the database, so that waiting costs the api nothing. @throws Error where some do not reach the goal in time */
function untilCounted(adminUrl: string, { count }: Goal, expected: number): Promise<void> {
  return withClient(adminUrl, async (client) => {
    const deadline = Date.now() + REACHED_WITHIN_MS;
    for (;;) {
      const { rows } = await client.query<{ count: number }>(count);
      const counted = rows[0]?.count ?? 0;
      if (counted >= expected) return;
      if (Date.now() > deadline) throw new Error(`${counted} of ${expected} sends got as far as measured`);
      await sleep(POLL_MS);
    }
  });
}

const NONCES = `SELECT wallet, count(*)::int AS requests, count(DISTINCT nonce)::int AS nonces,
    count(DISTINCT tx_hash)::int AS transactions, (max(nonce) - min(nonce) + 1)::int AS span
  FROM app.send_request GROUP BY chain_id, wallet`;

/** @throws Error where the nonces of a wallet's requests have a gap, or two requests share a nonce or a transaction */
function checkNonces(adminUrl: string): Promise<void> {
  return withClient(adminUrl, async (client) => {
    const { rows } =
      await client.query<Record<"requests" | "nonces" | "transactions" | "span", number>>(NONCES);
    for (const row of rows) {
      const { requests, nonces, transactions, span } = row;
      if (new Set([requests, nonces, transactions, span]).size > 1)
        throw new Error(`nonces are not contiguous: ${JSON.stringify(row)}`);
    }
  });
}

/** @throws Error where a caller is answered otherwise */
async function checkAll(partner: Partner, sent: readonly SentOrder[], goal: Goal): Promise<void> {
  const left = [...sent];
  await inParallel(CLIENTS, async () => {
    for (let send = left.pop(); send; send = left.pop()) {
      const answer = await post(partner, send);
      if (!goal.check(answer)) throw new Error(`a send came to ${JSON.stringify(answer)}`);
    }
  });
}

function longestPause(atMs: readonly number[]): number {
  return Math.max(0, ...atMs.slice(1).map((at, index) => at - (atMs[index] ?? at)));
}

function outcomeOf(latencies: number[], elapsedMs: number): Outcome {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const answers = sorted.length;
  const perSecond = (answers * 1000) / elapsedMs;
  const quantiles = { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  return { answers, unavailable: 0, elapsedMs, perSecond, ...quantiles, generatorCpu: 0 };
}
