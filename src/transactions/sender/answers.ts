import type { RpcAnswer } from "./rpc.ts";

/** What a node's answer to eth_sendRawTransaction means for the bytes that were sent (SENDING.md has the table). */
export type Meaning =
  /** A node has it: new to it, or known already. */
  | { kind: "taken"; fresh: boolean }
  /** It may have been taken: look up, and send the same bytes again. */
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
  /** No node will ever mine this call. */
  | { kind: "never-minable"; because: "gas" | "size" };

type Dialect = [RegExp, Meaning];

// Nodes have no common codes for these, only words. In order: the first that fits counts. geth and its kin (erigon, bsc,
// avalanche, arbitrum), reth, nethermind, besu, anvil, openethereum, zkSync, ganache, harmony, substrate.
const DIALECTS: readonly Dialect[] = [
  // Known already. "existing tx with same hash" is erigon's.
  [
    /already known|known transaction|already ?imported|alreadyknown|already in the (system|pool|mempool)|same hash was already|existing tx with same hash|tx already exists|transaction already exists|already submitted/i,
    { kind: "taken", fresh: false },
  ],
  // Mined already: either this one or another with its nonce; receipts tell.
  [/already mined|transaction already finalized/i, { kind: "nonce-too-low" }],
  // "OldNonce" nethermind, "Pool(Stale)" substrate, "doesn't have the correct nonce" ganache.
  [
    /nonce (is )?too low|oldnonce|nonce below|pool\(stale\)|invalid transaction nonce|doesn't have the correct nonce|nonce has already been used|lower than the current nonce/i,
    { kind: "nonce-too-low" },
  ],
  [
    /nonce (is )?too (high|distant|far)|noncegap|nonce gap|nonce_?toofar|lower nonce exists|gapped.nonce|nonce is too far|future nonce/i,
    { kind: "nonce-gap" },
  ],
  // "could not replace" erigon, "ReplacementNotAllowed" nethermind, "another transaction with same nonce" openethereum.
  [
    /replacement transaction underpriced|could not replace|replacementnotallowed|another (transaction|tx) .*same nonce|replacement .*(too low|not allowed)|underpriced replacement/i,
    { kind: "underpriced" },
  ],
  // Before fees: "insufficient funds for gas * price + value".
  [
    /insufficient ?funds|insufficient balance|upfront cost exceeds|would cause overdraft|not enough funds|exceeds (the )?(account )?balance|sender doesn't have enough funds/i,
    { kind: "insufficient-funds" },
  ],
  [
    /intrinsic gas|insufficient gas for floor|floor data gas|exceeds block gas limit|gas limit (of block )?exceed|gaslimitexceeded|gas limit exceeds|exceeds block('s)? gas limit|exceeds current gas limit|gas limit too high|gas uint64 overflow|\bgas too (low|high)|\bgas is too low|gas required exceeds allowance|transaction gas limit|block gas limit|call gas cost exceeds/i,
    { kind: "never-minable", because: "gas" },
  ],
  [
    /oversized data|transaction (is )?too big|rlp too long|max ?tx ?size|initcode size|data too large|tx too large|transaction size exceed/i,
    { kind: "never-minable", because: "size" },
  ],
  // "FeeTooLow", "FeeTooLowToCompete" nethermind, "Gas price below configured minimum" besu.
  [
    /underpriced|fee ?too ?low|below (configured )?minimum|less than (block )?base fee|lower than .*base ?fee|gas ?price .*(too low|less than|below)|tip .*(too low|below)|priority fee .*(too low|below)|maxfeepergas too low|base fee exceeds|pool is full|too many transactions in the queue/i,
    { kind: "fee-too-low" },
  ],
];

/** Reads an answer. `expected` is the hash of the bytes; a node that answers another one has not understood. */
export function meaningOf(answer: RpcAnswer, expected: string): Meaning {
  if (answer.kind === "unreachable") return { kind: "unknown" };
  if (answer.kind === "result") {
    const same = typeof answer.value === "string" && answer.value.toLowerCase() === expected;
    return same ? { kind: "taken", fresh: true } : { kind: "unknown" };
  }
  const text = `${answer.message} ${typeof answer.data === "string" ? answer.data : ""}`;
  for (const [words, meaning] of DIALECTS) if (words.test(text)) return meaning;
  return { kind: "unknown" };
}
