import type { Hex } from "viem";
import { KEY_LOST } from "../../../src/sending/retirement/lost-key-store.ts";
import type { SenderConfig } from "../../../src/sending/sender/deps.ts";
import type { Block, SimulatedChain } from "./chain.ts";
import type {
  AttemptRow,
  Change,
  CommitObserver,
  MemoryDatabase,
  RequestRow,
  WalletRecord,
} from "./database.ts";
import { ENDED } from "./database.ts";
import { attemptsOf, isEnabled } from "./memory-store.ts";
import type { Scheduler } from "./scheduler.ts";

/** An invariant of docs/sending.md that did not hold. */
export interface Violation {
  /** Short, and the same for each run that shows the same fault: shrinking keeps it. */
  rule: string;
  detail: string;
}

const NEXT: Record<string, readonly string[]> = {
  accepted: ["reserved", "failed", "canceled"],
  reserved: ["signed", "canceled"],
  signed: ["broadcast", "mined"],
  broadcast: ["broadcast", "mined"],
  mined: ["mined", "broadcast", "final", "failed", "canceled"],
  final: [],
  failed: [],
  canceled: [],
};

const DAY_MS = 86_400_000;
/** Longer than a worker takes, or stands still, between its checks and the commit of what it signed, ms. */
const LATE_MS = 60_000;

/** Facts of the world that the observer compares with. */
interface World {
  scheduler: Scheduler;
  database: MemoryDatabase;
  config: SenderConfig;
  /** True where reorgs may be deeper than final. */
  isDeep: boolean;
}

/**
 * Watches every commit, every broadcast and every block, and keeps its own books: it uses none of the sender's code. The first
 * violation ends the run.
 */
export class Observer implements CommitObserver {
  violation: Violation | null = null;
  chain: SimulatedChain | null = null;
  /** True from when the command that halts the chain has returned. */
  isHalted = false;
  /** Requests that are not ended. */
  readonly open = new Set<string>();
  /** Bytes that a commit has stored, and their attempts. */
  private readonly stored = new Map<Hex, AttemptRow>();
  /** Owners of nonces, by wallet and nonce. */
  private readonly owners = new Map<string, string>();
  /** Number of times that the chain has each request's call. */
  private readonly mined = new Map<string, number>();
  /** All requests, in the order of their commits; and how many there were at each user's last disable. */
  private readonly inserted = new Set<string>();
  private readonly disabled = new Map<Hex, number>();
  /** Time since which each user's disable, or each key's end, is in force, simulated ms. */
  private readonly forbiddenMs = new Map<string, number>();
  /** Wallets whose keys were given up. */
  private readonly givenUp = new Set<Hex>();
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  report(rule: string, detail: string): void {
    this.violation ??= { rule, detail };
    this.world.scheduler.tell(() => `VIOLATED: ${rule}: ${detail}`);
  }

  committed(changes: readonly Change[]): void {
    const requests: Change<"requests">[] = [];
    for (const change of changes) {
      if (change.table === "wallets") this.noteGivenUp(change as Change<"wallets">);
      if (change.table === "requests") requests.push(change as Change<"requests">);
      if (change.table === "delegations") this.checkDelegation(change as Change<"delegations">);
      if (change.table === "attempts") this.checkAttempt(change as Change<"attempts">);
      if (change.table === "keys") this.noteKey(change as Change<"keys">);
    }
    for (const { before, after } of requests) if (after) this.checkRequest(before, after);
    for (const change of changes)
      if (change.table === "wallets") this.checkWallet(change as Change<"wallets">, requests);
  }

  /** Takes back what a failover lost. */
  lost(changes: readonly Change[]): void {
    for (const { table, before, after } of changes) {
      if (table !== "requests") continue;
      const [was, is] = [after, before] as [RequestRow | undefined, RequestRow | undefined];
      if (was && !is) this.open.delete(was.requestId);
      if (is && !ENDED.has(is.state)) this.open.add(is.requestId);
      if (was?.nonce != null && is?.nonce == null) this.owners.delete(`${was.wallet}/${was.nonce}`);
    }
  }

  /** A nonce is committed before anything is signed with it, and for one request alone. */
  signing(wallet: Hex, nonce: bigint, data: Hex): void {
    const { database, scheduler } = this.world;
    const owner = this.owners.get(`${wallet}/${nonce}`);
    const request = owner === undefined ? undefined : database.get("requests", owner);
    scheduler.tell(() => `the key of ${wallet.slice(0, 6)} signs nonce ${nonce}`);
    // A worker may still sign for a reservation that a failover has just lost; nothing of it is stored.
    if (database.hasLostCommits) return;
    if (!request) this.report("a nonce is committed before it is signed", `${nonce} of ${wallet}`);
    else if (data !== "0x" && data !== request.data)
      this.report("a nonce is signed for one request", `${nonce} of ${nameOf(request.requestId)}`);
  }

  received(node: number, bytes: Hex): void {
    if (!this.stored.has(bytes))
      this.report("what is not stored is never broadcast", `node ${node + 1} got ${bytes}`);
  }

  added(block: Block): void {
    for (const { transaction } of block.included) {
      const attempt = this.stored.get(transaction.bytes);
      if (attempt?.kind !== "call") continue;
      const { requestId, nonce } = attempt;
      const times = (this.mined.get(requestId) ?? 0) + 1;
      this.mined.set(requestId, times);
      this.world.scheduler.tell(() => `block ${block.number} has nonce ${nonce} (${nameOf(requestId)})`);
      if (times > 1)
        this.report("a request is mined at most once", `${nameOf(requestId)} is mined ${times} times`);
    }
  }

  removed(block: Block): void {
    this.world.scheduler.tell(() => `a reorg removes block ${block.number}`);
    for (const { transaction } of block.included) {
      const attempt = this.stored.get(transaction.bytes);
      const request = attempt && this.world.database.get("requests", attempt.requestId);
      if (request && ENDED.has(request.state) && !this.world.isDeep)
        this.report(
          "a final state is true",
          `${nameOf(request.requestId)} is ${request.state}, and a reorg removed it`,
        );
      if (attempt?.kind === "call")
        this.mined.set(attempt.requestId, (this.mined.get(attempt.requestId) ?? 1) - 1);
    }
  }

  private checkAttempt({ before, after }: Change<"attempts">): void {
    if (!after) return;
    if (!before) {
      this.stored.set(after.bytes, after);
      this.checkNewAttempt(after);
      return;
    }
    if (before.bytes !== after.bytes || before.nonce !== after.nonce || before.requestId !== after.requestId)
      this.report("an attempt never changes", `${nameOf(after.requestId)}, nonce ${after.nonce}`);
  }

  private checkNewAttempt({
    requestId,
    nonce,
    wallet,
    bytes,
    maxFeePerGas,
    maxPriorityFeePerGas,
    kind,
  }: AttemptRow): void {
    const { database, config, scheduler } = this.world;
    const request = database.get("requests", requestId);
    const transaction = this.chain?.signed.get(bytes);
    scheduler.tell(
      () =>
        `stored: nonce ${nonce} of ${wallet.slice(0, 6)} is ${kind} of ${nameOf(requestId)}, ${maxFeePerGas} wei per gas`,
    );
    if (request?.nonce !== nonce || request.wallet !== wallet)
      this.report(
        "an attempt has the nonce of its request",
        `${nameOf(requestId)}: ${nonce}, not ${request?.nonce}`,
      );
    if (transaction && (transaction.nonce !== nonce || transaction.wallet !== wallet))
      this.report(
        "bytes have the nonce that is stored for them",
        `${nameOf(requestId)}: ${transaction.nonce}`,
      );
    if (
      transaction &&
      kind === "call" &&
      (transaction.data !== request?.data || transaction.to !== request.to)
    )
      this.report("an attempt carries its request's call", nameOf(requestId));
    if (transaction && kind === "filler" && (transaction.data !== "0x" || transaction.to !== wallet))
      this.report("a filler transfers nothing, to the wallet itself", nameOf(requestId));
    if (maxFeePerGas > config.maxFeePerGasCap || maxPriorityFeePerGas > config.maxPriorityFeeCap)
      this.report(
        "fees are within their caps",
        `${nameOf(requestId)}: ${maxFeePerGas}, ${maxPriorityFeePerGas}`,
      );
    if (this.givenUp.has(wallet))
      this.report(
        "a wallet whose key was given up sends nothing more",
        `${nameOf(requestId)}, nonce ${nonce}`,
      );
    this.checkRaise(requestId, { maxFeePerGas, maxPriorityFeePerGas, kind, bytes });
    const isFirst = attemptsOf(database, requestId).length === 1;
    if (request && isFirst) this.checkFirst(request, kind);
    this.own(wallet, nonce, requestId);
  }

  private own(wallet: Hex, nonce: bigint, requestId: string): void {
    const owner = `${wallet}/${nonce}`;
    const known = this.owners.get(owner) ?? requestId;
    if (known !== requestId)
      this.report("a nonce belongs to one request", `${nonce}: ${nameOf(known)} and ${nameOf(requestId)}`);
    this.owners.set(owner, requestId);
  }

  /** Checks what must hold at the commit that stores the first signed transaction of a request. */
  private checkFirst(request: RequestRow, kind: AttemptRow["kind"]): void {
    const { database, scheduler } = this.world;
    const { requestId, wallet, nonce, operation, user, keyId } = request;
    const name = nameOf(requestId);
    for (const id of database.openOf.get(wallet) ?? []) {
      const other = database.get("requests", id);
      if (other?.state === "reserved" && other.nonce !== null && nonce !== null && other.nonce < nonce)
        this.report("no signed transaction waits behind a nonce without one", `${name}, nonce ${nonce}`);
    }
    if (kind === "filler") return;
    if (this.isHalted) this.report("nothing is signed on a halted chain", `${name} has nonce ${nonce}`);
    if (operation.startsWith("1ct/")) return;
    const since = Math.min(
      isEnabled(database, user, keyId) ? Infinity : (this.forbiddenMs.get(user) ?? Infinity),
      this.forbiddenMs.get(keyId) ?? Infinity,
    );
    if (scheduler.nowMs - since > LATE_MS)
      this.report("what was forbidden while its nonce was reserved is not signed", name);
  }

  /** A replacement offers 12.5% more than every attempt before it, or it is a filler at the same fees: no node has the call. */
  private checkRaise(
    requestId: string,
    {
      maxFeePerGas,
      maxPriorityFeePerGas,
      kind,
      bytes,
    }: Pick<AttemptRow, "maxFeePerGas" | "maxPriorityFeePerGas" | "kind" | "bytes">,
  ): void {
    const others = attemptsOf(this.world.database, requestId).filter((attempt) => attempt.bytes !== bytes);
    const isRaised = (fee: bigint, then: bigint): boolean => fee * 1000n >= then * 1125n;
    const isEnough = others.every(
      (other) =>
        (isRaised(maxFeePerGas, other.maxFeePerGas) &&
          isRaised(maxPriorityFeePerGas, other.maxPriorityFeePerGas)) ||
        (kind === "filler" &&
          maxFeePerGas >= other.maxFeePerGas &&
          maxPriorityFeePerGas >= other.maxPriorityFeePerGas),
    );
    if (!isEnough) this.report("a replacement offers 12.5% more", `${nameOf(requestId)}: ${maxFeePerGas}`);
  }

  /** A signed request needs a worker that follows it. */
  private noteGivenUp({ after }: Change<"wallets">): void {
    if (after?.leaseOwner !== KEY_LOST) return;
    this.givenUp.add(after.address);
    for (const id of this.world.database.openOf.get(after.address) ?? [])
      if (["signed", "broadcast", "mined"].includes(this.world.database.get("requests", id)?.state ?? ""))
        this.report("a wallet is given up after what it signed", nameOf(id));
  }

  private noteKey({ before, after }: Change<"keys">): void {
    if (after?.policy?.killed && !before?.policy?.killed)
      this.forbiddenMs.set(after.keyId, this.world.scheduler.nowMs);
  }

  /** Only an enable that came after the last disable, and is mined, ends that disable. */
  private checkDelegation({ before, after }: Change<"delegations">): void {
    if (!before || !after) return;
    const { user } = after;
    if (after.epoch !== before.epoch) this.disabled.set(user, this.inserted.size);
    if (after.epoch !== before.epoch) this.forbiddenMs.set(user, this.world.scheduler.nowMs);
    if (!before.blocked || after.blocked) return;
    const since = this.disabled.get(user) ?? 0;
    const isLifted = [...this.inserted].slice(since).some((requestId) => {
      const row = this.world.database.get("requests", requestId);
      return (
        row?.user === user && row.operation === "1ct/enable" && row.minedSuccess === true && !row.minedFiller
      );
    });
    if (!isLifted) this.report("only a later enable ends a disable", user);
  }

  private checkRequest(before: RequestRow | undefined, after: RequestRow): void {
    const name = nameOf(after.requestId);
    this.world.scheduler.tell(() =>
      before?.state === after.state
        ? `${name} is still ${after.state}`
        : `${name} is ${after.state}${after.errCode ? ` (${after.errCode})` : ""}${after.outcome ? `, ${after.outcome}` : ""}`,
    );
    if (ENDED.has(after.state)) this.open.delete(after.requestId);
    else this.open.add(after.requestId);
    if (!before) {
      this.inserted.add(after.requestId);
      return;
    }
    if (before.state !== after.state && !NEXT[before.state]?.includes(after.state))
      this.report("states follow the table of states", `${name}: ${before.state} to ${after.state}`);
    if (before.state === "reserved" && after.state === "canceled" && !this.givenUp.has(after.wallet))
      this.report("a reserved request ends unsigned with its wallet alone", name);
    if (ENDED.has(before.state)) this.report("a final state never changes", `${name}: ${before.state}`);
    if (before.nonce !== null && before.nonce !== after.nonce)
      this.report("a nonce belongs to one request", `${name}: ${before.nonce} became ${after.nonce}`);
    if (before.nonce === null && after.nonce !== null) {
      this.own(after.wallet, after.nonce, after.requestId);
      this.checkSigned(after);
    }
    if (after.state === "mined") this.checkMined(after);
    if (ENDED.has(after.state)) this.checkEnd(after);
  }

  /** A receipt counts where a block has it: nothing that a node invents. */
  private checkMined({ requestId, minedBlockHash, minedSuccess }: RequestRow): void {
    const hashes = this.world.database.attemptsOf.get(requestId) ?? [];
    const isTrue = hashes.some((hash) =>
      this.chain
        ?.inclusions(hash)
        .some(({ block, included }) => block.hash === minedBlockHash && included.success === minedSuccess),
    );
    if (!isTrue) this.report("a mined state names a block that has the transaction", nameOf(requestId));
  }

  /** Checks what must hold at the commit that assigns a nonce. */
  private checkSigned(request: RequestRow): void {
    const { requestId, operation, user, keyId, nonce } = request;
    const { database } = this.world;
    const name = nameOf(requestId);
    const isOther = !operation.startsWith("1ct/");
    const key = database.get("keys", keyId);
    if (isOther && !isEnabled(database, user, keyId))
      this.report("nothing is signed without an enable in force", `${name} has nonce ${nonce}`);
    if (this.isHalted) this.report("nothing is signed on a halted chain", `${name} has nonce ${nonce}`);
    if (operation === "1ct/disable") return;
    if (key?.policy?.killed || key?.isRevoked)
      this.report("nothing is signed for a key that was killed or revoked", `${name} has nonce ${nonce}`);
    if (!database.get("wallets", request.wallet)?.assignable)
      this.report("a retired wallet signs undelegations alone", `${name} has nonce ${nonce}`);
    this.checkCap(request);
  }

  /** Checks that what a key has signed on a day is within its cap. */
  private checkCap({ keyId, requestId }: RequestRow): void {
    const { database, scheduler } = this.world;
    const cap = database.get("keys", keyId)?.policy?.dailyNotionalCap ?? null;
    if (cap === null) return;
    const today = Math.floor(scheduler.nowMs / DAY_MS) * DAY_MS;
    let sum = 0n;
    for (const id of database.ofKey.get(keyId) ?? []) {
      const row = database.get("requests", id);
      if (row?.signedAtMs == null || row.signedAtMs < today) continue;
      const isReturned = row.outcome === "reverted" || (ENDED.has(row.state) && row.minedFiller === true);
      if (!isReturned) sum += row.signedNotional ?? 0n;
    }
    if (sum > cap) this.report("a key's daily cap holds", `${nameOf(requestId)}: ${sum} above ${cap}`);
  }

  /** Checks that a request that ends says what the chain has, for good. */
  private checkEnd(request: RequestRow): void {
    const problem = this.world.isDeep ? null : this.problemOf(request);
    if (problem)
      this.report("a final state is true", `${nameOf(request.requestId)} is ${request.state}, ${problem}`);
  }

  private problemOf({ requestId, operation, state, outcome, nonce, wallet }: RequestRow): string | null {
    const attempts = attemptsOf(this.world.database, requestId);
    if (this.givenUp.has(wallet) && state === "canceled" && attempts.length === 0) return null;
    if (nonce === null) return attempts.length > 0 ? "and was signed without a nonce" : null;
    const found = attempts.flatMap(({ hash, kind }) => {
      const at = this.chain?.find(hash);
      return at ? [{ kind, success: at.included.success }] : [];
    });
    const [mined] = found;
    if (!mined) return "and the chain has none of its attempts";
    if ((mined.kind === "call") !== (state === "final")) return `and its ${mined.kind} is mined`;
    // An undelegation that finds nothing to end is no failure.
    if (state !== "final" || operation === "1ct/disable") return null;
    const isTrue = outcome === (mined.success ? "confirmed" : "reverted");
    return isTrue ? null : `${outcome}, and its transaction's success is ${mined.success}`;
  }

  private checkWallet({ before, after }: Change<"wallets">, requests: readonly Change<"requests">[]): void {
    if (!before || !after) return;
    const { scheduler } = this.world;
    if (before.state !== after.state)
      scheduler.tell(() => `wallet ${after.address.slice(0, 6)} is ${after.state}: ${after.stateReason}`);
    if (before.leaseOwner !== after.leaseOwner || before.leaseEpoch !== after.leaseEpoch)
      this.checkLease(before, after);
    const assigned = requests
      .flatMap(({ before: was, after: is }) => (was?.nonce === null && is?.nonce != null ? [is.nonce] : []))
      .sort((a, b) => Number(a - b));
    if (assigned.length === 0 || before.nextNonce === null) return;
    const expected = assigned.map((_, index) => (before.nextNonce ?? 0n) + BigInt(index));
    const isContiguous = expected.every((nonce, index) => nonce === assigned[index]);
    if (!isContiguous || after.nextNonce !== before.nextNonce + BigInt(assigned.length))
      this.report(
        "nonces have no gaps",
        `${assigned.join(", ")} after ${before.nextNonce}, next is ${after.nextNonce}`,
      );
  }

  private checkLease(before: WalletRecord, after: WalletRecord): void {
    this.world.scheduler.tell(
      () =>
        `lease ${after.leaseEpoch} of ${after.address.slice(0, 6)} is ${after.leaseOwner ? "taken" : "free"}`,
    );
    if (
      after.leaseOwner !== null &&
      before.leaseOwner !== after.leaseOwner &&
      after.leaseEpoch <= before.leaseEpoch
    )
      this.report("a new driver has a new epoch", `${before.leaseEpoch}, ${after.leaseEpoch}`);
  }
}

/** Names requests briefly: r7. */
export const nameOf = (requestId: string): string => `r${Number(requestId.slice(-6))}`;
