import type { Product } from "../support/chain/product.ts";
import { startProduct } from "../support/chain/product.ts";
import { type PostgresServer, startPostgres } from "../support/db/postgres.ts";
import { startFeed } from "../support/sandbox/feed.ts";
import { startApi } from "./contestants/order-detail.ts";
import type { ServerProcess } from "./contestants/process.ts";
import { createDataSet, type DataSet } from "./dataset/database.ts";
import { SPAN_S } from "./dataset/orders.ts";
import { type Generator, startGenerator } from "./load/start.ts";
import { buildPrograms } from "./programs.ts";

/** The first block of the chain is younger than every seeded order. */
const GENESIS_BLOCK = SPAN_S / 10;

/** Holds the running parts that scenarios share. */
export interface Surroundings {
  product: Product;
  generator: Generator;
  /** The main data set, and the api over it. */
  data: DataSet;
  api: ServerProcess;
  withDataSet<T>(orders: number, run: (data: DataSet, api: ServerProcess) => Promise<T>): Promise<T>;
}

/**
 * Starts a chain, a market feed, a PostgreSQL that survives a crash (unless `databaseUrl` names one), a data set and the
 * api over it. All of it ends with `run`.
 */
export async function withSurroundings<T>(
  { orders, databaseUrl }: { orders: number; databaseUrl: string | undefined },
  run: (surroundings: Surroundings) => Promise<T>,
): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    await buildPrograms();
    const generator = startGenerator();
    ends.push(generator.stop);
    const product = await startProduct({ users: 3, genesisBlock: GENESIS_BLOCK });
    ends.push(product.stop);
    const feed = await startFeed();
    ends.push(feed.stop);
    for (const { stockSymbol } of product.deployment.stockTokens)
      feed.setQuote(stockSymbol, { price: "100" });
    const server: PostgresServer | null = databaseUrl
      ? null
      : await startPostgres({ durable: true, onDisk: true, flags: FLAGS });
    if (server) ends.push(server.stop);
    const adminUrl = databaseUrl ?? server?.adminUrl ?? "";
    const withDataSet: Surroundings["withDataSet"] = async (count, use) => {
      const data = await createDataSet({ adminUrl, orders: count, product, marketDataUrl: feed.url });
      try {
        const api = await startApi(data);
        try {
          return await use(data, api);
        } finally {
          await api.stop();
        }
      } finally {
        await data.close();
      }
    };
    return await withDataSet(orders, (data, api) => run({ product, generator, data, api, withDataSet }));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** No checkpoint falls into a round because the seeding before it wrote much. */
const FLAGS = ["-c", "max_wal_size=8GB", "-c", "checkpoint_timeout=1h"];
