import type { Deps } from "../../context/deps.ts";
import { withDatabaseErrors } from "../../db/errors.ts";
import { readOverdueSwitches } from "../../sending/outbox/cancel-after-store.ts";
import { type Queue, readQueues } from "../../sending/outbox/queue-store.ts";
import { listChains } from "../chains.ts";
import { readKeys } from "../keys.ts";
import { readDaysLeft } from "../overview/spending.ts";
import { readWebhookFacts } from "../overview/webhooks.ts";
import { type OverdueSwitch, type Problem, problemsOf } from "./problems.ts";
import { readSeen } from "./seen-store.ts";

/** Every open dashboard asks every few seconds: they share an answer for so long, and what is dear to know for longer. Milliseconds. */
const SHARED_MS = 1_000;
const DEAR_MS = 60_000;

const watches = new WeakMap<Deps, () => Promise<Problem[]>>();

/** GraphQL `Dashboard.problems`: what is wrong now, worst first. @throws ApiError DATABASE_UNAVAILABLE */
export function readProblems(deps: Deps): Promise<Problem[]> {
  const known = watches.get(deps);
  if (known) return known();
  const daysLeft = sharedFor(DEAR_MS, async () => byWallet(deps, await readQueues(deps.pool, null)));
  const read = sharedFor(SHARED_MS, () => look(deps, daysLeft));
  watches.set(deps, read);
  return read();
}

type DaysLeft = ReadonlyMap<string, number | null>;

async function look(deps: Deps, readDays: () => Promise<DaysLeft>): Promise<Problem[]> {
  const [chains, queues, days, seen, webhooks, overdueSwitches, failing] = await Promise.all([
    listChains(deps, {}),
    readQueues(deps.pool, null),
    readDays(),
    readSeen(deps.pool),
    readWebhookFacts(deps),
    readOverdue(deps),
    deps.failingParts?.() ?? [],
  ]);
  const daysLeft = queues.map((queue) => days.get(nameOf(queue)) ?? null);
  return problemsOf({
    now: deps.now() / 1_000,
    chains,
    queues,
    daysLeft,
    seen,
    webhooks,
    overdueSwitches,
    failing,
  });
}

/** A switch is carried out each second. One that is later than this, in milliseconds, is overdue. */
const OVERDUE_MS = 10_000;
const OVERDUE_MAX = 5;

async function readOverdue({ prisma, now }: Deps): Promise<OverdueSwitch[]> {
  const before = new Date(now() - OVERDUE_MS);
  const rows = await withDatabaseErrors(() => readOverdueSwitches(prisma, before, OVERDUE_MAX));
  if (rows.length === 0) return [];
  const keys = await readKeys(
    { prisma, now },
    rows.map(({ keyId }) => keyId),
  );
  return rows.flatMap(({ keyId, chainId, cancelAt }) => {
    const key = keys.get(keyId);
    return key && cancelAt
      ? [{ chainId, name: key.name, cancelAt: Math.floor(cancelAt.getTime() / 1_000) }]
      : [];
  });
}

const nameOf = ({ chainId, wallet }: Queue) => `${chainId} ${wallet}`;

async function byWallet(deps: Deps, queues: readonly Queue[]): Promise<DaysLeft> {
  const daysLeft = await readDaysLeft(deps, queues);
  return new Map(queues.map((queue, index) => [nameOf(queue), daysLeft[index] ?? null]));
}

/** Returns a read whose answer all callers share while it is made, and for a time after; a failure is shared while it is made alone. */
function sharedFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null;
  const forget = () => {
    current = null;
  };
  return () => {
    if (current === null) {
      current = read();
      current.then(() => setTimeout(forget, ms).unref(), forget);
    }
    return current;
  };
}
