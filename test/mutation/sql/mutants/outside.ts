import type { Covering, Mutant } from "../mutant.ts";

// Lines that neither a group of groups.mjs mutates nor a statement of the other lists has, and whose loss no test would notice
// but the one that is named.

const SOURCES = "src/http/answer-sources.ts";
const RETRY = "packages/client/src/retry.ts";

const STATE = "packages/admin/src/reconcile/state.ts";
const SENDS = "packages/admin/src/reconcile/sends.ts";
const WALLETS = "packages/admin/src/reconcile/wallets.ts";

const columns: Covering = { file: "packages/admin/test/reconcile-columns.integration.test.ts" };
const names: Covering = { file: "test/http/kept-answers-names.integration.test.ts" };
const api: Covering = { file: "test/http/api.test.ts", name: "a reorg took the block away" };
const retries: Covering = {
  file: "packages/client/test/retries.test.ts",
  name: "a call that could act twice",
};

export const OUTSIDE: readonly Mutant[] = [
  {
    id: "kept-answer-product",
    file: SOURCES,
    title: "a kept answer is that of one product",
    find: "`${keyId} ${chainId} ${productType}`",
    replace: "`${keyId} ${chainId}`",
    tests: [names],
  },
  {
    id: "kept-answer-chain",
    file: SOURCES,
    title: "a kept answer is that of one chain",
    find: "`${keyId} ${chainId} ${productType}`",
    replace: "`${keyId} ${productType}`",
    tests: [names],
  },
  {
    id: "kept-answer-key",
    file: SOURCES,
    title: "a kept answer is that of one key",
    find: "`${keyId} ${chainId} ${productType}`",
    replace: "`${chainId} ${productType}`",
    tests: [names],
  },
  {
    id: "kept-answer-min-block",
    file: SOURCES,
    title: "a request that waits for a block is not answered from memory",
    find: ` && exchange.request.headers["x-min-block"] === undefined;`,
    replace: ";",
    tests: [names],
  },
  {
    id: "min-block-reorg",
    file: "src/http/read-answer.ts",
    title: "an answer is not of an earlier block than it waited for",
    find: "if (minBlock !== null && context.indexedBlock !== null && context.indexedBlock < minBlock) {",
    replace: "if (false as boolean) {",
    tests: [api],
  },
  {
    id: "retry-timeout",
    file: RETRY,
    title: "the client does not repeat what could act twice after no answer in time",
    find: "return error instanceof TimeoutError && isRepeatable;",
    replace: "return error instanceof TimeoutError;",
    tests: [retries],
  },
  {
    id: "retry-connection",
    file: RETRY,
    title: "the client does not repeat what could act twice after a network error",
    find: "return isRepeatable && PASSING_STATUSES.has(error.status);",
    replace: "return PASSING_STATUSES.has(error.status);",
    tests: [retries],
  },
  {
    id: "retry-refused",
    file: RETRY,
    title: "the client repeats what could act twice only where it was refused unseen",
    find: "return error.retryable && (isRepeatable || error.status === 429);",
    replace: "return error.retryable;",
    tests: [retries],
  },
  {
    id: "mined-every-block",
    file: "src/sending/recovery/mined-transactions.ts",
    title: "a wallet's transactions are looked for in every block",
    find: "last -= BLOCKS)",
    replace: "last -= BLOCKS + 1n)",
    tests: [{ file: "test/sending/recovery/mined-transactions.test.ts" }],
  },
  {
    id: "webhook-secret-ends",
    file: "src/webhooks/store.ts",
    title: "a webhook's secret that has ended signs no delivery",
    find: " AND (s.ends_at IS NULL OR s.ends_at > now())`",
    replace: "`",
    tests: [{ file: "test/webhooks/ended-secrets.integration.test.ts" }],
  },
  {
    id: "split-before-listing",
    file: "indexer/src/Stock.ts",
    title: "a token that is listed again has the multiplier that it has reached",
    find: "if (known) multiplier = known.multiplier;",
    replace: "if (known) multiplier = ONE;",
    tests: [{ file: "test/indexer/products.integration.test.ts" }],
  },
  {
    id: "reconcile-delegation-nonce",
    file: STATE,
    title: "reconcile compares the nonce of a delegation",
    find: '        ["nonce", row.nonce, answers[index * 2 + 1]],\n',
    replace: "",
    tests: [columns],
  },
  {
    id: "reconcile-order-status",
    file: STATE,
    title: "reconcile compares the status of an order",
    find: '        ["status", row.status, statusOf(order.status)],\n',
    replace: "",
    tests: [columns],
  },
  {
    id: "reconcile-order-quantity",
    file: STATE,
    title: "reconcile compares the filled quantity of an order",
    find: '        ["filledQuantity", row.filledQuantity, order.filledQuantity],\n',
    replace: "",
    tests: [columns],
  },
  {
    id: "reconcile-order-notional",
    file: STATE,
    title: "reconcile compares the filled notional of an order",
    find: '        ["filledNotional", row.filledNotional, order.filledNotionalWad],\n',
    replace: "",
    tests: [columns],
  },
  {
    id: "reconcile-order-lock",
    file: STATE,
    title: "reconcile compares what an order has locked",
    find: '        ["lockedRemaining", row.lockedRemaining, order.lockedAmount],\n',
    replace: "",
    tests: [columns],
  },
  {
    id: "reconcile-ledger-lock",
    file: STATE,
    title: "reconcile compares what a ledger has locked",
    find: '        ["locked", row.locked, answers[index * 2 + 1]],\n',
    replace: "",
    tests: [columns],
  },
  {
    id: "reconcile-block-hash",
    file: SENDS,
    title: "reconcile compares the hash of the block of a request",
    find: "minedBlock !== String(blockNumber) || minedBlockHash !== blockHash",
    replace: "minedBlock !== String(blockNumber)",
    tests: [columns],
  },
  {
    id: "reconcile-signed-hash",
    file: SENDS,
    title: "reconcile compares the hash of what was signed",
    find: "  if (signed !== hash)\n",
    replace: '  if (signed !== hash && bytes === "0x")\n',
    tests: [columns],
  },
  {
    id: "reconcile-absent",
    file: SENDS,
    title: "reconcile compares a request whose transaction a reorg took out",
    find: "  if (!wasMined) return [];\n  return [",
    replace: "  return [];\n  return [",
    tests: [columns],
  },
  {
    id: "reconcile-nonces-mined",
    file: WALLETS,
    title: "reconcile compares a mined request whose nonce the chain has not used",
    find: "if (premature !== null) {",
    replace: "if (false as boolean) {",
    tests: [columns],
  },
  {
    id: "reconcile-nonces-unmined",
    file: WALLETS,
    title: "reconcile compares a request that is not mined and whose nonce the chain has used",
    find: "if (unaccounted !== null) {",
    replace: "if (false as boolean) {",
    tests: [columns],
  },
];
