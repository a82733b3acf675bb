import { pino } from "pino";
import type { Deployment } from "../../../packages/sandbox/src/deploy.ts";
import type { Caller } from "../../../src/auth/caller.ts";
import { createKey } from "../../../src/auth/keys-admin.ts";
import { createChains } from "../../../src/chain/clients.ts";
import type { Deployments } from "../../../src/config/deployments.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { createPrisma } from "../../../src/db/client.ts";
import type { Bar } from "../../../src/market-data/bars.ts";
import type { CorporateAction, MarketData, Quote } from "../../../src/market-data/provider.ts";
import { ApiError } from "../../../src/protocol/errors.ts";
import { createTestPool, PATIENT } from "../db/pool.ts";
import { createDatabase } from "../db/postgres.ts";

export const PRODUCT = "Sandbox";

export const lower = (value: string): `0x${string}` => value.toLowerCase() as `0x${string}`;

const MASTER_KEYS = [{ id: "test", key: Buffer.alloc(32, 7) }];

/** The dependencies of features, over a database and chains of the test's own. */
export interface Features {
  databaseUrl: string;
  deps: Deps;
  market: FakeMarket;
  /** Clock that features see, Unix milliseconds; the real time until it is set. */
  clock: { nowMs: number | null };
  makeCaller(options?: Partial<Pick<Caller, "chainId" | "productType" | "userAddress">>): Promise<Caller>;
  close(): Promise<void>;
}

/** Quotes, bars and corporate actions that the test sets; `down` makes market data unavailable. */
interface FakeMarket extends MarketData {
  prices: Map<string, string>;
  history: Bar[];
  actions: CorporateAction[];
  down: boolean;
}

export interface ServedChain {
  deployment: Pick<
    Deployment,
    "chainId" | "startBlock" | "stockRouter" | "cashier" | "stock" | "oneClickRouter"
  >;
  rpcUrls: string[];
  confirmations?: number;
  products?: string[];
}

export async function startFeatures(chains: ServedChain[]): Promise<Features> {
  const database = await createDatabase();
  const deployments: Deployments = { chains: chains.map(chainConfig) };
  // Plans each statement once: that takes longer than to run it.
  const url = `${database.url}?options=-c%20plan_cache_mode%3Dforce_generic_plan`;
  const pooling = { max: 8, preparedStatements: true };
  const pool = createTestPool(url, pooling);
  const prisma = createPrisma(url, { ...pooling, ...PATIENT });
  const clock: Features["clock"] = { nowMs: null };
  const market = fakeMarket();
  const deps: Deps = {
    prisma,
    pool,
    deployments,
    chains: createChains(deployments),
    marketData: market,
    masterKeys: MASTER_KEYS,
    attributionKeys: [{ id: "test", key: Buffer.alloc(32, 8) }],
    webhooks: {
      keys: [{ id: "test", key: Buffer.alloc(32, 9) }],
      allowLoopback: true,
      resolve: async () => ["127.0.0.1"],
    },
    limits: { reads: 100, writes: 50, inFlight: 0 },
    log: pino({ level: "silent" }),
    now: () => clock.nowMs ?? Date.now(),
    // No worker is there that would send anything, or write rows.
    broadcastWaitMs: 0,
    rowsWaitMs: 0,
  };
  return {
    databaseUrl: database.url,
    deps,
    market,
    clock,
    makeCaller: (options = {}) => makeCaller(deps, options),
    close: async () => {
      await Promise.all([pool.end(), prisma.$disconnect()]);
      await database.drop();
    },
  };
}

function chainConfig({
  deployment,
  rpcUrls,
  confirmations = 2,
  products = [PRODUCT],
}: ServedChain): Deployments["chains"][number] {
  const { chainId, startBlock, stockRouter, cashier, stock, oneClickRouter } = deployment;
  return {
    chainId,
    rpcUrls,
    wsUrls: [],
    confirmations,
    pollingIntervalMs: 100,
    multicall3: null,
    ephemeral: true,
    products: products.map((productType) => ({
      productType,
      startBlock,
      contracts: { stockRouter, cashier, stock, oneClickRouter },
      minNotional: "1",
    })),
  };
}

async function makeCaller(
  deps: Deps,
  {
    chainId = 31337,
    productType = PRODUCT,
    userAddress = null,
  }: Parameters<Features["makeCaller"]>[0] & object,
): Promise<Caller> {
  const admin = { ...deps, actor: "test" };
  const { keyId, apiKey } = await createKey(admin, {
    name: "test",
    access: "WRITABLE",
    scopes: [{ chainId, productType }],
    ips: ["127.0.0.1"],
    dailyNotionalCap: null,
    ...(userAddress ? { userAddress } : {}),
  });
  return { keyId, apiKey, access: "WRITABLE", chainId, productType, userAddress };
}

function fakeMarket(): FakeMarket {
  const quoteOf = (symbol: string, price: string): Quote => ({
    symbol,
    name: `${symbol} Inc.`,
    price,
    bid: null,
    ask: null,
    bidSize: null,
    askSize: null,
    open: null,
    high: null,
    low: null,
    previousClose: null,
    volume: "1000",
    change24H: "-0.5",
    change24HPercent: "-0.25",
    session: "regular",
    timestamp: 1_800_000_000,
    stale: false,
    source: "test",
  });
  const market: FakeMarket = {
    prices: new Map(),
    history: [],
    actions: [],
    down: false,
    quotesMaxAgeMs: 50,
    session: async () => "regular",
    bars: async () => {
      if (market.down) throw new ApiError("MARKET_DATA_UNAVAILABLE");
      return market.history;
    },
    corporateActions: async ({ symbols, from, to }) => {
      if (market.down) throw new ApiError("MARKET_DATA_UNAVAILABLE");
      return market.actions.filter(
        ({ symbol, exDate }) => symbols.includes(symbol) && exDate >= from && exDate <= to,
      );
    },
    quote: async (symbol) => (await market.quotes([symbol])).get(symbol) ?? null,
    quotes: async (symbols) => {
      if (market.down) throw new ApiError("MARKET_DATA_UNAVAILABLE");
      const known = symbols.flatMap((symbol) => {
        const price = market.prices.get(symbol);
        return price === undefined ? [] : [[symbol, quoteOf(symbol, price)] as const];
      });
      return new Map(known);
    },
  };
  return market;
}
