import type { Covering, Mutant } from "../mutant.ts";

// Lines that neither a group of groups.mjs mutates nor a statement of the other lists has, and whose loss no test would notice
// but the one that is named.

const API = "src/http/api.ts";
const RETRY = "src/client/retry.ts";

const names: Covering = { file: "test/http/kept-answers-names.integration.test.ts" };
const api: Covering = { file: "test/http/api.test.ts", name: "a reorg took the block away" };
const retries: Covering = { file: "test/client/retries.test.ts", name: "a call that could act twice" };

export const OUTSIDE: readonly Mutant[] = [
  {
    id: "kept-answer-product",
    file: API,
    title: "a kept answer is that of one product",
    find: "`${keyId} ${chainId} ${productType} ${uriOf(target)}`",
    replace: "`${keyId} ${chainId} ${uriOf(target)}`",
    tests: [names],
  },
  {
    id: "kept-answer-chain",
    file: API,
    title: "a kept answer is that of one chain",
    find: "`${keyId} ${chainId} ${productType} ${uriOf(target)}`",
    replace: "`${keyId} ${productType} ${uriOf(target)}`",
    tests: [names],
  },
  {
    id: "kept-answer-key",
    file: API,
    title: "a kept answer is that of one key",
    find: "`${keyId} ${chainId} ${productType} ${uriOf(target)}`",
    replace: "`${chainId} ${productType} ${uriOf(target)}`",
    tests: [names],
  },
  {
    id: "kept-answer-min-block",
    file: API,
    title: "a request that waits for a block is not answered from memory",
    find: `  if (exchange.request.headers["x-min-block"] !== undefined) return undefined;\n`,
    replace: "",
    tests: [names],
  },
  {
    id: "min-block-reorg",
    file: API,
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
    file: "src/webhooks/queue-store.ts",
    title: "a webhook's secret that has ended signs no delivery",
    find: "s.webhook_id = w.webhook_id AND (s.ends_at IS NULL OR s.ends_at > now())) AS secrets",
    replace: "s.webhook_id = w.webhook_id) AS secrets",
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
];
