import type { RpcAnswer } from "../../chain/rpc.ts";

/** Result of a node's answer to eth_sendRawTransaction, for the bytes that were sent (docs/sending.md#answers-of-nodes). */
export type BroadcastResult =
  /** A node has it; `fresh` where it was new to that node. */
  | { kind: "taken"; fresh: boolean }
  /** It may have been taken: look it up, and send the same bytes again. */
  | { kind: "unknown" }
  /** Some transaction with this nonce is mined. Never a reason to take the next nonce. */
  | { kind: "nonce-too-low" }
  /** The node misses an earlier nonce: the earlier ones go out again first. */
  | { kind: "nonce-gap" }
  /** Another transaction with this nonce stands in the pool, at a fee too close to this one's. */
  | { kind: "underpriced" }
  /** The fee is below what the node or the block asks for. */
  | { kind: "fee-too-low" }
  | { kind: "insufficient-funds" }
  /** Temporary: the pool is full, or takes no more of this sender. The same bytes go out again later, at the same fee. */
  | { kind: "later" }
  /** An error that no pattern matches. Repeated by every node, it is final (next-action.ts). */
  | { kind: "refused" }
  /** No node will ever mine this call. */
  | { kind: "never-minable"; because: "gas" | "size" };

type ErrorPattern = [RegExp, BroadcastResult];

// Nodes share no codes for these, only words. The first pattern that matches counts. geth and its forks (erigon, bsc, avalanche,
// arbitrum), reth, nethermind, besu, anvil, openethereum, zkSync, ganache, harmony, substrate.
const NODE_ERROR_PATTERNS: readonly ErrorPattern[] = [
  // Known already. "existing tx with same hash" is erigon's.
  [
    /already known|known transaction|already ?imported|alreadyknown|already in the (system|pool|mempool)|same hash was already|existing tx with same hash|tx already exists|transaction already exists|already submitted/i,
    { kind: "taken", fresh: false },
  ],
  // Mined already: either this one or another with its nonce; receipts show which.
  [/already mined|transaction already finalized/i, { kind: "nonce-too-low" }],
  // Errors of the provider itself, not of the transaction.
  [
    /rate.?limit|too many requests|(capacity|quota|request count|compute units).* exceeded|exceeded .*(capacity|quota)|tim(ed|e).?out|unavailable|deadline exceeded|no backend|bad gateway|overloaded|unauthorized|forbidden/i,
    { kind: "unknown" },
  ],
  // geth and reth: pools of blob and other transactions, accounts with code (EIP-7702), senders with too many; nethermind
  // in one word each.
  [
    /pool is full|pool overflow|queue (is )?full|too many transactions in the queue|already reserved|reserved by|in-?flight transaction limit|account limit exceeded|spammer|tries to replace pending|pendingtxsofothertype|delegatorhaspendingtx|notcurrentnoncefordelegation|\bsyncing\b/i,
    { kind: "later" },
  ],
  // "OldNonce" nethermind, "Pool(Stale)" substrate, "doesn't have the correct nonce" ganache.
  [
    /nonce (is )?too low|oldnonce|nonce below|pool\(stale\)|invalid transaction nonce|doesn't have the correct nonce|nonce has already been used|lower than the current nonce|nonce is lower/i,
    { kind: "nonce-too-low" },
  ],
  [
    /nonce (is )?too (high|distant|far)|noncegap|nonce gap|nonce_?toofar|lower nonce exists|gapped.nonce|nonce is too far|nonce is higher|future nonce/i,
    { kind: "nonce-gap" },
  ],
  // "could not replace" erigon, "ReplacementNotAllowed" nethermind, "another transaction with same nonce" openethereum.
  [
    /replacement transaction underpriced|could not replace|replacementnotallowed|another (transaction|tx) .*same nonce|replacement .*(too low|not allowed)|underpriced replacement|gas price to replace/i,
    { kind: "underpriced" },
  ],
  // Before fees: "insufficient funds for gas * price + value".
  [
    /insufficient ?funds|insufficient balance|upfront cost exceeds|would cause overdraft|not enough funds|exceeds (the )?(account )?balance|sender doesn't have enough funds/i,
    { kind: "insufficient-funds" },
  ],
  [
    /intrinsic gas|requires at least \d+ gas|insufficient gas for floor|floor data gas|gas limit (of block )?exceed|gaslimitexceeded|gas limit exceeds|exceeds block's gas limit|exceeds current gas limit|gas limit too high|gas uint64 overflow|\bgas too (low|high)|\bgas is too low|gas required exceeds allowance|transaction gas limit|block gas limit|call gas cost exceeds|max transaction gas limit|tx fee .*exceeds the configured cap|fee ?cap exceeded/i,
    { kind: "never-minable", because: "gas" },
  ],
  [
    /oversized data|transaction (is )?too big|rlp too long|max ?tx ?size|initcode size|data too large|tx too large|transaction size exceed/i,
    { kind: "never-minable", because: "size" },
  ],
  // "FeeTooLow", "FeeTooLowToCompete" nethermind, "Gas price below configured minimum" besu.
  [
    /underpriced|fee ?too ?low|below (configured )?minimum|less than (block )?base fee|lower than .*base ?fee|gas ?price .*(too low|less than|below)|tip .*(too low|below)|priority fee .*(too low|below)|maxfeepergas too low|base fee exceeds/i,
    { kind: "fee-too-low" },
  ],
];

/** Maximum length of an answer that is examined: some expressions above take quadratic time. */
const ANSWER_MAX = 4_000;

/** Parses an answer. `expected` is the hash of the bytes; an answer with another hash is not understood. */
export function parseBroadcastAnswer(answer: RpcAnswer, expected: string): BroadcastResult {
  if (answer.kind === "unreachable") return { kind: "unknown" };
  if (answer.kind === "result") {
    const same = typeof answer.value === "string" && answer.value.toLowerCase() === expected;
    return same ? { kind: "taken", fresh: true } : { kind: "unknown" };
  }
  const text = `${answer.message} ${typeof answer.data === "string" ? answer.data : ""}`;
  const start = text.slice(0, ANSWER_MAX);
  for (const [words, result] of NODE_ERROR_PATTERNS) if (words.test(start)) return result;
  return { kind: "refused" };
}

/** Order in which one of several nodes' results for the same bytes counts. */
const PRECEDENCE: readonly BroadcastResult["kind"][] = [
  "taken",
  "nonce-too-low",
  "underpriced",
  "fee-too-low",
  "nonce-gap",
  "insufficient-funds",
  "never-minable",
  "unknown",
  "later",
  "refused",
];

/** Results after which no other node need be asked. */
const CONCLUSIVE: readonly BroadcastResult["kind"][] = PRECEDENCE.slice(
  0,
  PRECEDENCE.indexOf("insufficient-funds"),
);

export function isConclusive({ kind }: BroadcastResult): boolean {
  return CONCLUSIVE.includes(kind);
}

/**
 * Merges several nodes' answers to the same bytes: the first kind in PRECEDENCE counts. One acceptance outweighs all
 * refusals, and the result is "refused" only if every node refused. "insufficient-funds" and "never-minable" outrank
 * "unknown".
 */
export function mergeResults(results: readonly BroadcastResult[]): BroadcastResult {
  const [first] = [...results].sort((a, b) => PRECEDENCE.indexOf(a.kind) - PRECEDENCE.indexOf(b.kind));
  if (first?.kind !== "taken") return first ?? { kind: "unknown" };
  return { kind: "taken", fresh: results.every((result) => result.kind !== "taken" || result.fresh) };
}
