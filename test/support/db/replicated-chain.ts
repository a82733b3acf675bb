import type pg from "pg";
import { type Hex, parseEther, parseUnits } from "viem";
import { sendAll } from "../../../packages/sandbox/src/transact.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { decodeEvents, idOf } from "../../contracts/bench.ts";
import { DAY, LATER, router } from "../../contracts/calls.ts";
import { present } from "../assert/until.ts";
import { headOf, mine } from "../chain/anvil-client.ts";
import { indexedUpTo, startIndexer, type TestIndexer } from "../chain/indexer.ts";
import { type Product, startProduct } from "../chain/product.ts";
import type { OperationList } from "../http/answers.ts";
import { startTestApi } from "../http/api.ts";
import { createPartner, type PartnerKey } from "../http/partner.ts";
import { createSending } from "../sender/sending.ts";
import { openPool } from "./pool.ts";
import type { PostgresServer } from "./postgres.ts";
import { project, projectorOf } from "./projected.ts";
import { type ReadingApi, readingApi, stopAll } from "./replicated.ts";
import { query, type Standby } from "./standby.ts";

/** A chain with its indexer, which writes a database of its own on a primary that has standbys. */
export interface ReplicatedChain {
  product: Product;
  pool: pg.Pool;
  /** Reads from the primary alone. */
  reader: ReadingApi;
  /** Reads from the standbys. */
  api: ReadingApi;
  /** Bound to the user who acts. */
  key: PartnerKey;
  /** Makes the rows of keys on the primary what is indexed and claimed. */
  project(): Promise<void>;
  /** Waits until the index on the primary has followed the chain to its head, and projects it. */
  indexed(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicatedChain(
  primary: PostgresServer,
  standbys: readonly Standby[],
): Promise<ReplicatedChain> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (let end = stops.pop(); end; end = stops.pop()) await end();
  };
  try {
    return { ...(await startParts(primary, standbys, (end) => stops.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  primary: PostgresServer,
  standbys: readonly Standby[],
  onStop: (stop: () => Promise<unknown>) => void,
): Promise<Omit<ReplicatedChain, "stop">> {
  const databaseUrl = await makeDatabase(primary);
  const product = await startProduct({ users: 1 });
  onStop(product.stop);
  // The set-up is final, whatever is taken back later.
  await mine(product.client, 40);
  const pool = openPool({ connectionString: databaseUrl, max: 2 });
  onStop(() => pool.end());
  const env = { RATE_LIMIT_READS: "0", KEPT_ANSWERS_MB: "0", LOG_LEVEL: "info" };
  const sending = await createSending(databaseUrl, product, { env });
  onStop(sending.dispose);
  const indexer: TestIndexer = startIndexer(databaseUrl, [
    { deployment: product.deployment, rpcUrls: [product.rpcUrl] },
  ]);
  onStop(() => indexer.kill());
  const { chainId } = product.deployment;
  const projector = projectorOf(sending);
  const projectNow = () => project(projector);
  const indexed = async () => {
    await indexedUpTo(pool, indexer, chainId, await headOf(product.client));
    await projectNow();
  };
  await indexed();
  const start = async (from: readonly Standby[]) => {
    const urls = from.map((standby) => standby.urlOf(databaseUrl)).join(",");
    return readingApi(
      await startTestApi({ ...sending.env, DATABASE_READ_URLS: urls }, { metricsMaxAgeMs: 0 }),
    );
  };
  const apis = await Promise.all([start([]), start(standbys)]);
  onStop(() => stopAll(apis));
  const [reader, api] = apis;
  const user = present(product.users[0], "a user");
  return { product, pool, reader, api, key: await sending.bind(user), project: projectNow, indexed };
}

async function makeDatabase({ adminUrl }: PostgresServer): Promise<string> {
  await query(adminUrl, "CREATE DATABASE chain");
  const url = new URL(adminUrl);
  url.pathname = "/chain";
  await migrate(url.href, { info: () => undefined });
  return url.href;
}

const LISTS = ["/cash/deposits", "/cash/withdrawals", "/stock/deposits", "/stock/withdrawals"];

/** An order and an operation of each kind. */
export interface Movements {
  orderId: Hex;
  /** Transactions, in their order. */
  hashes: Hex[];
  /** First block that has any of them. */
  since: bigint;
  /** Paths of the API that show them. */
  paths: string[];
}

/** Places an order, makes an operation of each kind, and records them. */
export async function movementsOn(chain: ReplicatedChain): Promise<Movements> {
  const { product, key } = chain;
  const { client, deployment, users } = product;
  const cash = present(deployment.cashTokens[0], "a cash token");
  const token = present(deployment.stockTokens[0], "a stock token").address;
  const amount = parseUnits("10", cash.decimals);
  const steps = [
    router("placeLimitOrder", token, parseEther("5"), parseEther("100"), DAY, LATER),
    router("deposit", cash.address, amount),
    router("withdraw", cash.address, parseEther("10")),
    router("depositStock", token, parseEther("1")),
    router("withdrawStock", token, parseEther("1")),
  ].map((data) => ({ name: "a movement", to: deployment.stockRouter, data, gas: 3_000_000n }));
  const receipts = await sendAll(client, present(users[0], "a user"), steps);
  const hashes = receipts.map(({ transactionHash }) => transactionHash);
  const orderId = idOf(decodeEvents(present(receipts[0], "a receipt").logs), "LimitOrderPlaced");
  await mine(client, 2);
  await chain.indexed();
  const partner = createPartner(chain.reader.url, key);
  const paths = [`/orders/${orderId}`, `/orders/tx/${hashes[0]}`, "/orders", ...LISTS];
  for (const [index, list] of ["/orders", ...LISTS].entries()) {
    const txHash = present(hashes[index], "a transaction");
    await partner.must(partner.post(`${list}/tx`, { txHash }));
    await chain.project();
    if (index === 0) continue;
    const { rows } = await partner.must(partner.get<OperationList>(list, { txHash }));
    paths.push(`${list}/${present(rows[0]?.operationId, "an operation")}`);
  }
  return { orderId, hashes, since: present(receipts[0], "a receipt").blockNumber, paths };
}
