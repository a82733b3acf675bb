import { getAddress, type Hex } from "viem";
import type { Queue } from "../../sending/outbox/queue-store.ts";
import type { ChainState } from "../chains.ts";
import type { WebhookFacts } from "../overview/webhooks.ts";
import type { ProblemCause, ProblemSeverity } from "../words.ts";
import { isAlive, type Seen, type SeenProgram } from "./seen-store.ts";

/** A problem of now: GraphQL `Problem`. */
export interface Problem {
  severity: ProblemSeverity;
  cause: ProblemCause;
  text: string;
  chainId: number | null;
  wallet: Hex | null;
  /** Unix seconds; null where it is not known, or says nothing. */
  since: number | null;
}

/** A switch of a key whose time has passed (docs/sending.md#cancel-after). */
export interface OverdueSwitch {
  chainId: number;
  /** Name of the key. */
  name: string;
  /** Unix seconds. */
  cancelAt: number;
}

/** State of the service at one moment. */
export interface Facts {
  /** Unix seconds. */
  now: number;
  chains: readonly ChainState[];
  queues: readonly Queue[];
  /** Days for which the coins of each queue's wallet last; null where that is not known. */
  daysLeft: readonly (number | null)[];
  seen: Seen;
  webhooks: WebhookFacts;
  /** Switches of keys that should have canceled their orders by now. */
  overdueSwitches: readonly OverdueSwitch[];
  /** Names of other parts of the service that do not answer. */
  failing: readonly string[];
}

/** Ages from which something is late, seconds. */
interface Bounds {
  warning: number;
  critical: number;
}

/** A block that the index has not read: it takes a second. */
const UNINDEXED: Bounds = { warning: 10, critical: 30 };
/** The newest block, in times between two blocks; and never below the bounds of an index. */
const BLOCKS: Bounds = { warning: 3, critical: 10 };
const BLOCK_SECONDS = 12;
/** Age of the last look at a wallet, of which there is one every few seconds. */
const OBSERVED_SECONDS_MAX = 60;
const OLDEST_SECONDS_MAX = 120;
/** Time without a signature, of which a device takes a second at most. */
const UNSIGNED_SECONDS_MAX = 10;
const DAYS_LEFT_MIN = 3;

/** Returns the present problems, the critical ones first, and before what follows from them. */
export function problemsOf(facts: Facts): Problem[] {
  const found = [
    ...ofPrograms(facts),
    ...facts.chains.flatMap((chain) => ofChain(facts, chain)),
    ...facts.queues.flatMap((queue, index) => ofWallet(facts, queue, facts.daysLeft[index] ?? null)),
    ...facts.failing.map((name) => problem("warning", "part", `Does not answer: ${name}`)),
    ...facts.overdueSwitches.map(ofSwitch),
    ...ofWebhooks(facts.webhooks),
  ];
  return [
    ...found.filter(({ severity }) => severity === "critical"),
    ...found.filter(({ severity }) => severity === "warning"),
  ];
}

type Where = Partial<Pick<Problem, "chainId" | "wallet" | "since">>;

const problem = (
  severity: ProblemSeverity,
  cause: ProblemCause,
  text: string,
  { chainId = null, wallet = null, since = null }: Where = {},
): Problem => ({ severity, cause, text, chainId, wallet, since });

/** Returns the severity of an age, or null where it is no problem. */
const severityOf = (age: number, { warning, critical }: Bounds): ProblemSeverity | null =>
  age >= critical ? "critical" : age >= warning ? "warning" : null;

function ofPrograms(facts: Facts): Problem[] {
  const { seen, now, webhooks } = facts;
  const found: Problem[] = [];
  const sinceOf = (program: SeenProgram) => {
    const age = seen.get(program);
    return { since: age === undefined ? null : Math.floor(now - age) };
  };
  if (!isAlive(facts.seen, "worker")) {
    const text = "No worker is alive: nothing is sent, and no event is written";
    found.push(problem("critical", "worker", text, sinceOf("worker")));
  }
  // Where there is no webhook, none needs to run.
  if (webhooks.hasEnabled && !isAlive(facts.seen, "deliverer")) {
    const text = "No deliverer is alive: no webhook is delivered";
    found.push(problem("critical", "deliverer", text, sinceOf("deliverer")));
  }
  return found;
}

const ofSwitch = ({ chainId, name, cancelAt }: OverdueSwitch): Problem =>
  problem(
    "critical",
    "switch",
    `Open orders of ${name} on chain ${chainId} are not canceled, as its switch asks`,
    {
      chainId,
      since: cancelAt,
    },
  );

function ofChain(facts: Facts, chain: ChainState): Problem[] {
  const { chainId } = chain;
  const found = [...ofBlocks(facts, chain), ...ofLooks(facts, chain)];
  if (chain.sendingHalted) {
    const why = chain.sendingHaltReason ? `: ${chain.sendingHaltReason}` : "";
    const since = chain.sendingHaltedAt === null ? null : Number(chain.sendingHaltedAt);
    const text = `Sending on chain ${chainId} is halted by an operator${why}`;
    found.push(problem("critical", "halt", text, { chainId, since }));
  }
  return found;
}

/** Distinguishes an index that is behind from one at the head of a chain that stands still, which is as old. */
function ofBlocks({ now }: Facts, chain: ChainState): Problem[] {
  const { chainId, headBlock, headAt, indexedBlock, behindSeconds, blockSeconds } = chain;
  if (indexedBlock === null)
    return [problem("critical", "index", `Chain ${chainId} is not indexed`, { chainId })];
  if (headBlock === null || headAt === null || behindSeconds === null)
    return [problem("critical", "node", `No node of chain ${chainId} answers`, { chainId })];
  const late = severityOf(behindSeconds, UNINDEXED);
  if (late !== null) {
    const blocks = headBlock - indexedBlock;
    const text = `The index of chain ${chainId} is ${blocks} ${blocks === 1n ? "block" : "blocks"} behind`;
    return [problem(late, "index", text, { chainId, since: Math.floor(now - behindSeconds) })];
  }
  const perBlock = blockSeconds ?? BLOCK_SECONDS;
  const old = severityOf(now - Number(headAt), {
    warning: Math.max(UNINDEXED.warning, BLOCKS.warning * perBlock),
    critical: Math.max(UNINDEXED.critical, BLOCKS.critical * perBlock),
  });
  if (old === null) return [];
  const text = `Chain ${chainId} has no new block, by its nodes`;
  return [problem(old, "chain", text, { chainId, since: Number(headAt) })];
}

/** A worker that is alive may still not look at the wallets. Without a node it cannot. */
function ofLooks(facts: Facts, { chainId, headBlock }: ChainState): Problem[] {
  const looks = facts.queues.flatMap((queue) =>
    queue.chainId === chainId && queue.observedAt !== null ? [queue.observedAt] : [],
  );
  if (headBlock === null || looks.length === 0 || !isAlive(facts.seen, "worker")) return [];
  const since = Math.max(...looks);
  if (facts.now - since <= OBSERVED_SECONDS_MAX) return [];
  const text = `No worker has looked at the wallets of chain ${chainId}`;
  return [problem("critical", "worker", text, { chainId, since })];
}

function ofWallet({ now }: Facts, queue: Queue, daysLeft: number | null): Problem[] {
  const { chainId, state, stateReason, retired, oldestSeconds, unsignedSeconds } = queue;
  const wallet = getAddress(queue.wallet);
  const name = `Wallet ${wallet.slice(0, 6)}…${wallet.slice(-4)} on chain ${chainId}`;
  const where = { chainId, wallet };
  const found: Problem[] = [];
  if (state !== "active") {
    const text = `${name} is ${state}${stateReason ? `: ${stateReason}` : ""}`;
    found.push(problem("critical", "wallet", text, where));
  }
  if (state === "active" && unsignedSeconds !== null && unsignedSeconds > UNSIGNED_SECONDS_MAX) {
    const since = Math.floor(now - unsignedSeconds);
    found.push(problem("critical", "wallet", `${name}: its key does not sign`, { ...where, since }));
  }
  if (oldestSeconds !== null && oldestSeconds > OLDEST_SECONDS_MAX) {
    const since = Math.floor(now - oldestSeconds);
    found.push(problem("critical", "wallet", `${name}: its oldest request waits`, { ...where, since }));
  }
  // A retired wallet needs no coins.
  if (!retired && daysLeft !== null && daysLeft < DAYS_LEFT_MIN) {
    const text = `${name} has coins for ${daysLeft.toFixed(1)} days`;
    found.push(problem("warning", "wallet", text, where));
  }
  return found;
}

function ofWebhooks({ failing, failingSince, disabled }: WebhookFacts): Problem[] {
  const found: Problem[] = [];
  if (failing > 0) {
    const text = failing === 1 ? "A webhook fails" : `${failing} webhooks fail`;
    found.push(problem("warning", "webhooks", text, { since: failingSince }));
  }
  if (disabled > 0) {
    const text = `${disabled} ${disabled === 1 ? "webhook was" : "webhooks were"} disabled in the last 24 h`;
    found.push(problem("warning", "webhooks", text));
  }
  return found;
}
