import type pg from "pg";
import { migrate } from "../../../src/db/migrate.ts";
import { hex } from "../assert/sample.ts";
import { until } from "../assert/until.ts";
import { CHAIN_ID, makeEnv, PRODUCT, startTestApi, type TestApi, type TestEnv } from "../http/api.ts";
import { createPartner, type PartnerKey } from "../http/partner.ts";
import { createClaim } from "./builders/claims.ts";
import { createOnchain, type Onchain, type Row } from "./onchain.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";
import { project, projectorOf } from "./projected.ts";
import { type Standby, startStandby } from "./standby.ts";

/** A migrated primary with an index and no indexer, streaming standbys of it, and apis that read from them. */
export interface Replicated {
  primary: PostgresServer;
  standbys: Standby[];
  env: TestEnv;
  onchain: Onchain;
  /** Starts an api that reads from these standbys, and keeps no answers. */
  startApi(from: readonly Standby[], extra?: NodeJS.ProcessEnv): Promise<ReadingApi>;
  /** Publishes and projects a block: the order in a state of its own, named by its filled quantity. */
  publish(state: number, block: bigint): Promise<void>;
  /** Projects what is indexed and claimed. @param through the primary by default */
  project(through?: pg.Pool): Promise<void>;
  /** Makes the key that recorded the order's transaction, once the order's first block is published. */
  makeOwner(): Promise<PartnerKey & { keyId: string }>;
  stop(): Promise<void>;
}

export interface ReadingApi extends TestApi {
  get(key: PartnerKey, path: string, headers?: Record<string, string>): ReturnType<typeof getAnswer>;
  /** Returns what /metrics counted of reads from a standby. */
  reads(standby: Standby, outcome: "served" | "behind" | "failed" | "refused"): Promise<number>;
}

const SCOPE = { chainId: CHAIN_ID, productType: PRODUCT };
const WAD = 10n ** 18n;
export const ORDER_ID = hex(32, 0xabc001);
export const ORDER_PATH = `/orders/${ORDER_ID}`;
export const ORDER_TX = hex(32, 0x1001);
const ORDER_USER = hex(20, 0xa1);
const STOCK = hex(20, 0x571);

export const ORDER: Row<"stockOrder"> = {
  ...SCOPE,
  orderId: ORDER_ID,
  txHash: ORDER_TX,
  blockNumber: 3n,
  updatedBlock: 3n,
  userAddress: ORDER_USER,
  createdAt: 1_799_000_000n,
  updatedAt: 1_799_000_000n,
  stockAddress: STOCK,
  side: "Buy",
  orderType: "Limit",
  quantity: 1_000_000n * WAD,
  price: WAD,
  status: "open",
};

const timed = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });

export async function startReplicated(
  count: number,
  options: { flags?: string[] } = {},
): Promise<Replicated> {
  const primary = await startPostgres();
  const url = await migratedDatabase(primary.adminUrl);
  const env = makeEnv(url, "http://127.0.0.1:1", {
    RATE_LIMIT_READS: "0",
    KEPT_ANSWERS_MB: "0",
    LOG_LEVEL: "info",
  });
  const onchain = await createOnchain(env.pool);
  const token = { ...SCOPE, tokenAddress: STOCK, symbol: "S0", multiplier: WAD };
  await onchain.insert("stockToken", token);
  const standbys: Standby[] = [];
  for (let n = 0; n < count; n++)
    standbys.push(await startStandby(primary, { name: `standby_${n}`, ...options }));
  const projector = projectorOf(env);
  const projectNow: Replicated["project"] = (pool = env.pool) => project({ ...projector, pool });
  const publish: Replicated["publish"] = async (state, block) => {
    await onchain.replace(
      CHAIN_ID,
      { stockOrder: [{ ...ORDER, filledQuantity: BigInt(state) * WAD }] },
      timed(block),
      timed(1n),
    );
    await projectNow();
  };
  return {
    primary,
    standbys,
    env,
    onchain,
    publish,
    project: projectNow,
    startApi: async (from, extra = {}) => {
      const urls = from.map((standby) => standby.urlOf(url)).join(",");
      const all = { ...env.env, DATABASE_READ_URLS: urls, ...extra };
      return readingApi(await startTestApi(all, { metricsMaxAgeMs: 0 }));
    },
    makeOwner: async () => {
      const key = await env.makeKey();
      await publish(1, 20n);
      await createClaim(env.pool, key, { txHash: ORDER_TX });
      await projectNow();
      return key;
    },
    stop: async () => {
      await env.dispose();
      await Promise.all(standbys.map((standby) => standby.stop()));
      await primary.stop();
    },
  };
}

async function migratedDatabase(adminUrl: string): Promise<string> {
  const url = new URL(adminUrl);
  await migrate(url.href, { info: () => undefined });
  return url.href;
}

export const readingApi = (api: TestApi): ReadingApi => ({
  ...api,
  get: (key, path, headers = {}) => getAnswer(api, key, path, headers),
  reads: async ({ port }, outcome) => {
    const text = await (await fetch(`${api.operatorUrl}/metrics`)).text();
    const labels = `replica="127.0.0.1:${port}",outcome="${outcome}"`;
    const line = text.split("\n").find((each) => each.startsWith(`database_replica_reads_total{${labels}}`));
    return Number(line?.split(" ").at(-1) ?? 0);
  },
});

/** Returns the answer without what differs each time. */
async function getAnswer(api: TestApi, key: PartnerKey, path: string, headers: Record<string, string>) {
  const [name = "", query = ""] = path.split("?");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const {
    status,
    body,
    headers: sent,
  } = await createPartner(api.url, key).get(name, parameters, { headers });
  const { uuid: _uuid, t: _t, ...rest } = body;
  return {
    status,
    body: rest,
    block: Number(sent.get("x-indexed-block")),
    eventCursor: sent.get("x-event-cursor"),
  };
}

/** Waits until a standby serves a path to a caller: what it lacked it has, and it is asked again. */
export async function untilServed(
  api: ReadingApi,
  standby: Standby,
  key: PartnerKey,
  path = ORDER_PATH,
): Promise<void> {
  await standby.catchUp();
  const before = await api.reads(standby, "served");
  await until(`${path} is served by the standby`, async () => {
    await api.get(key, path);
    return (await api.reads(standby, "served")) > before;
  });
}

/** Returns the state of the order that an answer shows, as `publish` named it. */
export function stateOf(answer: Awaited<ReturnType<typeof getAnswer>>): number {
  const data = answer.body.data as { openOrder?: { filledQuantity?: string } } | null;
  const filled = data?.openOrder?.filledQuantity;
  if (filled === undefined) throw new Error(`no order in ${JSON.stringify(answer)}`);
  return Number(filled);
}

/** Stops an api where a test file failed to start it. */
export const stopAll = (apis: readonly (TestApi | undefined)[]): Promise<unknown> =>
  Promise.all(apis.map((api) => api?.stop()));
