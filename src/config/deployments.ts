import { readFileSync } from "node:fs";
import { z } from "zod";
import { ADDRESS } from "../protocol/shapes.ts";

/**
 * The deployments file: the chains and products of this installation. No other code contains a chain id. `${NAME}` inside a
 * string is replaced by that environment variable, so that RPC URLs with credentials stay out of the file.
 */
const address = z
  .string()
  .regex(ADDRESS, "must be a 20-byte hex address")
  .transform((value) => value.toLowerCase() as `0x${string}`);

const rpcUrl = z.url({ protocol: /^(http|ws)s?$/, error: "must be an http, https, ws or wss URL" });
/** Returns true for the URL of a WebSocket, over which nodes announce new blocks. Every call goes over HTTP. */
const isWebSocket = (url: string): boolean => /^wss?:/i.test(url);

/** Pages of an explorer are found below it (src/dashboard/timeline/timeline.ts). Shown to operators, so it holds no credentials. */
const explorerUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL", abort: true })
  .refine((url) => {
    const { username, password, search, hash } = new URL(url);
    return `${username}${password}${search}${hash}` === "";
  }, "must have no credentials, query or fragment")
  .transform((url) => (url.endsWith("/") ? url.slice(0, -1) : url));

const productSchema = z.strictObject({
  /** Exactly what callers send as x-api-p; case sensitive. */
  productType: z.string().min(1).max(64),
  /** The block the contracts were deployed in; indexing starts here. */
  startBlock: z.int().min(0),
  contracts: z.strictObject({
    stockRouter: address,
    cashier: address,
    stock: address,
    oneClickRouter: address,
  }),
  /** Smallest order, in mUSD. */
  minNotional: z
    .string()
    .regex(/^\d+(\.\d{1,18})?$/, "must be a decimal string with at most 18 fraction digits")
    .default("1"),
});

const wei = z.string().regex(/^\d+$/, "must be wei, a decimal string");

/** Settings of transactions that are sent for users on a chain; all are optional. */
const sendingFields = z.strictObject({
  /** Maximum gas of one transaction. */
  gasLimitMax: z.int().min(150_000).max(1_000_000_000).default(10_000_000).transform(BigInt),
  /** Maximum wei per gas that a transaction offers, as a decimal string. */
  maxFeePerGasWei: wei.default("500000000000").transform(BigInt),
  /** Maximum part of that for miners. New transactions offer at most half of it, so that replacements have room. */
  maxPriorityFeeWei: wei.default("50000000000").transform(BigInt),
  /** Offered to miners where a node suggests less, wei per gas. */
  minPriorityFeeWei: wei.default("1000000000").transform(BigInt),
  /** The first request in a wallet's queue gets a higher fee when it is not mined within this time. */
  bumpAfterSeconds: z.number().min(0.1).default(30),
  /** Time for which a dead worker keeps its wallets from the others. */
  leaseSeconds: z.number().min(1).default(15),
  /** Average time between two blocks. */
  blockSeconds: z.number().min(0.01).max(3600).default(12),
  /** Pending transactions of one account that the chain's nodes hold. */
  accountSlots: z.int().min(1).max(1000).default(64),
  /** Requests signed and not mined at once, per wallet; inFlightMaxOf by default. */
  inFlightMax: z.int().min(1).max(1000).optional(),
  /** Requests that one key may have waiting for a nonce, per wallet. */
  queuedMax: z.int().min(1).max(100_000).default(500),
});

const sendingSchema = sendingFields.refine(
  ({ minPriorityFeeWei, maxPriorityFeeWei }) => minPriorityFeeWei <= maxPriorityFeeWei,
  { path: ["maxPriorityFeeWei"], error: "must not be below minPriorityFeeWei" },
);

const chainFields = z.strictObject({
  chainId: z.int().min(1).max(2_147_483_647),
  /**
   * HTTP URLs are tried in order; the next one is used while one fails or lags. WebSocket URLs announce new blocks to the
   * indexer.
   */
  rpcUrls: z
    .array(rpcUrl)
    .refine((urls) => urls.some((url) => !isWebSocket(url)), "must have an http or https URL"),
  /** Number of blocks on top of a transaction that makes it final. */
  confirmations: z.int().min(1).default(12),
  /** Interval at which the indexer reads the head; it takes nothing below 100. */
  pollingIntervalMs: z.int().min(100).default(1000),
  /** The chain's explorer, for links of the dashboard. */
  explorerUrl: explorerUrl.optional(),
  /** Null: reads are batched by a call without a deployed contract. */
  multicall3: address.nullable().default(null),
  /** Development chains only: their history may start anew under the same chain id, so the indexer must not cache it. */
  ephemeral: z.boolean().default(false),
  sending: sendingSchema.optional(),
  products: z.array(productSchema).min(1),
});

/** Groups the URLs by their use. */
const chainSchema = chainFields.transform(({ rpcUrls, ...fields }) => ({
  ...fields,
  rpcUrls: rpcUrls.filter((url) => !isWebSocket(url)),
  wsUrls: rpcUrls.filter(isWebSocket),
}));

const deploymentsSchema = z
  .strictObject({ chains: z.array(chainSchema).min(1) })
  .superRefine(({ chains }, context) => {
    const seen = new Set<string>();
    for (const [index, chain] of chains.entries()) {
      const keys = [`${chain.chainId}`, ...chain.products.map((p) => `${chain.chainId}/${p.productType}`)];
      for (const key of keys) {
        if (seen.has(key)) {
          context.addIssue({ code: "custom", path: ["chains", index], message: `${key} is named twice` });
        }
        seen.add(key);
      }
    }
  });

export type ChainConfig = z.output<typeof chainSchema>;
export type ProductConfig = z.output<typeof productSchema>;
export type Deployments = z.output<typeof deploymentsSchema>;
export type DeploymentsInput = z.input<typeof deploymentsSchema>;

/**
 * Reads and validates the deployments file.
 * @throws Error naming the file and every wrong value, when it is not there or not valid.
 */
export function loadDeployments(path: string, env: NodeJS.ProcessEnv): Deployments {
  const result = deploymentsSchema.safeParse(substitute(readJson(path), env, path));
  if (result.success) return result.data;
  throw new Error(`${path} is not a valid deployments file:\n${z.prettifyError(result.error)}`);
}

/**
 * Returns the chains with these ids, or all where none are named.
 * @throws Error naming the first id that the deployments file does not have
 */
export function selectChains({ chains }: Deployments, ids?: readonly number[]): readonly ChainConfig[] {
  if (ids === undefined) return chains;
  const missing = ids.find((id) => !chains.some(({ chainId }) => chainId === id));
  if (missing !== undefined)
    throw new Error(`INDEXER_CHAINS: chain ${missing} is not in the deployments file`);
  return chains.filter(({ chainId }) => ids.includes(chainId));
}

/** @throws Error naming a chain on which a variable that only a sandbox may set must not be set */
export function requireDevelopmentChains(variable: string, { chains }: Deployments): void {
  const real = chains.find(({ ephemeral }) => !ephemeral);
  if (real) throw new Error(`${variable}: chain ${real.chainId} is no development chain (ephemeral)`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`cannot read the deployments file ${path}: ${(cause as Error).message}`, { cause });
  }
}

function substitute(value: unknown, env: NodeJS.ProcessEnv, path: string): unknown {
  if (typeof value === "string") {
    return value.replace(/\$\{([A-Z0-9_]+)\}/g, (_match, name: string) => {
      const found = env[name];
      if (!found) throw new Error(`${path} names the environment variable ${name}, which is not set`);
      return found;
    });
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, env, path));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, env, path)]));
  }
  return value;
}

type Sending = z.output<typeof sendingSchema>;

/** Returns the settings of a chain's transactions: those of the file, and defaults for the rest. */
export function sendingOf({ sending = sendingSchema.parse({}) }: ChainConfig): Sending & {
  inFlightMax: number;
} {
  return { ...sending, inFlightMax: sending.inFlightMax ?? inFlightMaxOf(sending) };
}

/** Requests a second that a wallet gets room for: what waits in nodes' pools cannot be canceled any more. */
const RATE_MAX = 200;
/** Minimum, for chains of very short blocks, where a receipt is seen later than the next block. */
const IN_FLIGHT_LEAST = 16;

/** Returns the number of requests that fill each block at the highest rate, as far as nodes hold them. */
function inFlightMaxOf({ blockSeconds, accountSlots }: Sending): number {
  return Math.min(accountSlots, Math.max(IN_FLIGHT_LEAST, Math.ceil(blockSeconds * RATE_MAX)));
}

/** Returns the product of a scope, or undefined where the installation does not serve it. */
export function findProduct(
  deployments: Deployments,
  chainId: number,
  productType: string,
): { chain: ChainConfig; product: ProductConfig } | undefined {
  const chain = deployments.chains.find((candidate) => candidate.chainId === chainId);
  const product = chain?.products.find((candidate) => candidate.productType === productType);
  return chain && product ? { chain, product } : undefined;
}
