import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { createKey, type KeyAdminDeps, type NewKey } from "../../../src/auth/keys-admin.ts";
import { type DeploymentsInput, loadDeployments } from "../../../src/config/deployments.ts";
import { parseEnv } from "../../../src/config/env.ts";
import { createPrisma } from "../../../src/db/client.ts";
import { type ApiOverrides, start } from "../../../src/main.ts";
import { canary, openLog } from "../assert/logs.ts";
import { present } from "../assert/until.ts";
import { createTestPool, PATIENT } from "../db/pool.ts";
import type { PartnerKey } from "./partner.ts";

export const DASHBOARD_TOKEN = "a-dashboard-token-of-32-characters";
export const CHAIN_ID = 31337;
/** Differs from OTHER_PRODUCT in case alone. */
export const PRODUCT = "spot";
export const OTHER_PRODUCT = "Spot";

export interface TestEnv {
  env: NodeJS.ProcessEnv;
  admin: KeyAdminDeps;
  pool: pg.Pool;
  makeKey(input?: Partial<NewKey>): Promise<PartnerKey & { keyId: string }>;
  dispose(): Promise<void>;
}

const contract = (digit: number) => `0x${String(digit).repeat(40)}`;
const product = (
  productType: string,
  first: number,
): DeploymentsInput["chains"][number]["products"][number] => ({
  productType,
  startBlock: 0,
  contracts: {
    stockRouter: contract(first),
    cashier: contract(first + 1),
    stock: contract(first + 2),
    oneClickRouter: contract(first + 3),
  },
});

/** Makes the environment of a program over a test's database and chain: two products on one chain, nothing deployed. */
export function makeEnv(databaseUrl: string, rpcUrl: string, extra: NodeJS.ProcessEnv = {}): TestEnv {
  const chain = {
    chainId: CHAIN_ID,
    rpcUrls: [rpcUrl],
    ephemeral: true,
    products: [product(PRODUCT, 1), product(OTHER_PRODUCT, 5)],
  };
  return makeEnvOf(databaseUrl, { chains: [chain] }, extra);
}

/** Makes the same over any deployments; keys are made for the first chain's first product unless named otherwise. */
export function makeEnvOf(
  databaseUrl: string,
  deployments: DeploymentsInput,
  extra: NodeJS.ProcessEnv = {},
): TestEnv {
  const directory = mkdtempSync(join(tmpdir(), "partner-trading-env-"));
  const file = join(directory, "deployments.json");
  writeFileSync(file, JSON.stringify(deployments));
  const env = {
    DATABASE_URL: databaseUrl,
    DEPLOYMENTS_FILE: file,
    MASTER_KEYS: `k1:${canary("master key", "5a".repeat(32))}`,
    ATTRIBUTION_KEYS: `a1:${canary("attribution key", "a5".repeat(32))}`,
    WEBHOOK_KEYS: `w1:${canary("webhook key", "b6".repeat(32))}`,
    DASHBOARD_TOKENS: canary("dashboard token", DASHBOARD_TOKEN),
    MARKET_DATA_PROVIDER: "sandbox",
    MARKET_DATA_URL: "http://127.0.0.1:1",
    PORT: "0",
    OPERATOR_PORT: "0",
    ...extra,
  };
  const pool = createTestPool(databaseUrl, { max: 2 });
  const prisma = createPrisma(databaseUrl, { max: 2, ...PATIENT });
  const admin: KeyAdminDeps = {
    prisma,
    deployments: loadDeployments(file, {}),
    masterKeys: parseEnv("api", env).MASTER_KEYS,
    now: Date.now,
    actor: "test",
  };
  const { chainId, products } = present(admin.deployments.chains[0], "a chain");
  const scope = { chainId, productType: present(products[0], "a product").productType };
  return {
    env,
    admin,
    pool,
    makeKey: async (input = {}) => {
      const all = {
        name: "test",
        access: "WRITABLE" as const,
        ips: ["127.0.0.1"],
        scopes: [scope],
        // Most tests have no market data, without which nothing is sold under a cap.
        dailyNotionalCap: null,
        ...input,
      };
      const key = await createKey(admin, all);
      canary("API secret", key.apiSecret);
      return { ...key, ...(all.scopes[0] ?? scope) };
    },
    dispose: async () => {
      await Promise.all([pool.end(), prisma.$disconnect()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export interface TestApi {
  url: string;
  operatorUrl: string;
  /** Every line that it logged. */
  lines: string[];
  stop(): Promise<void>;
}

/** Starts the api as production does, in this process, on free ports. */
export async function startTestApi(env: NodeJS.ProcessEnv, overrides: ApiOverrides = {}): Promise<TestApi> {
  const lines: string[] = [];
  const kept = openLog("api");
  const write = (line: string) => {
    lines.push(line);
    kept.write(line);
  };
  const { url, operatorUrl, stop } = await start(env, {
    logTo: { write },
    timeouts: { shutdownDelay: 0 },
    database: { ...PATIENT, authTimeoutMs: PATIENT.queryTimeoutMs },
    ...overrides,
  });
  return { url, operatorUrl, stop, lines };
}
