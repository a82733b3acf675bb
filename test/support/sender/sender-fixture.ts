import { randomBytes } from "node:crypto";
import type pg from "pg";
import { pino } from "pino";
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import type { Caller } from "../../../src/auth/caller.ts";
import type { OutboxDeps } from "../../../src/sending/outbox/deps.ts";
import { findById } from "../../../src/sending/outbox/request-store.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import { type NewSend, write } from "../../../src/sending/outbox/submit.ts";
import { type CycleState, newCycleState } from "../../../src/sending/sender/context.ts";
import { runCycle } from "../../../src/sending/sender/cycle.ts";
import {
  type Alarm,
  DEFAULT_SENDER_CONFIG,
  type SenderConfig,
  type SenderDeps,
} from "../../../src/sending/sender/deps.ts";
import { registerWallet, takeLease } from "../../../src/sending/sender/lease.ts";
import { createNodes } from "../../../src/sending/sender/nodes.ts";
import { createSqlStore } from "../../../src/sending/sender/sender-store.ts";
import { type InFlight, readTracked } from "../../../src/sending/sender/store.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import { createLocalSigner } from "../../../src/sending/signer/signer.ts";
import { present } from "../assert/until.ts";
import { createFakeChain, type FakeChain } from "../chain/fake-chain.ts";
import { createApiKey } from "../db/builders/keys.ts";
import { createDelegations } from "../db/builders/sends.ts";
import { createTestPool } from "../db/pool.ts";
import { createDatabase } from "../db/postgres.ts";
import { seedEnable } from "./enables.ts";
import { newSend, rulesFor, type StubFacts, stubFacts } from "./new-send.ts";

export const CONFIRMATIONS = 3;
export const PRODUCT = "Sandbox";

/** PostgreSQL, and wallets whose cycles a test runs by hand, each on a chain of its own in memory. */
export interface SenderFixture {
  url: string;
  pool: pg.Pool;
  makeCaller(): Promise<Caller>;
  makeWallet(options?: WalletOptions): Promise<DrivenWallet>;
  close(): Promise<void>;
}

export interface WalletOptions {
  config?: Partial<SenderConfig>;
  nodes?: number;
}

export interface DrivenWallet {
  chain: FakeChain;
  deps: SenderDeps & OutboxDeps;
  wallet: Wallet;
  state: CycleState;
  address: Hex;
  user: Hex;
  caller: Caller;
  clock: { nowMs: number };
  alarms: { alarm: Alarm; fields: Record<string, unknown> }[];
  /** Facts by which its worker appraises calls. */
  facts: StubFacts;
  /** Writes a request for the wallet. */
  send(more?: Partial<NewSend>, caller?: Caller): Promise<string>;
  cycle(): Promise<void>;
  row(requestId: string): Promise<SendRow>;
  attempts(requestId: string): Promise<AttemptRow[]>;
  /** Reads the requests that its cycles keep copies of. */
  stored(): Promise<InFlight[]>;
  walletRow(): Promise<Record<string, unknown>>;
  claim(requestId: string): Promise<Record<string, unknown>>;
}

export interface AttemptRow {
  kind: string;
  nonce: string;
  gas_limit: string;
  max_fee_per_gas: string;
  max_priority_fee: string;
  signed_bytes: Buffer | null;
  tx_hash: Hex | null;
  broadcasts: number;
  taken: number;
  refusals: number;
  answer: string | null;
  first_broadcast_at: Date | null;
  last_broadcast_at: Date | null;
}

export async function startSenderFixture(): Promise<SenderFixture> {
  const database = await createDatabase();
  const pool = createTestPool(database.url, { max: 5 });
  const chains: FakeChain[] = [];
  const makeCaller = () => createApiKey(pool, { productType: PRODUCT });
  return {
    url: database.url,
    pool,
    makeCaller,
    makeWallet: async (options = {}) => {
      const chain = createFakeChain({ nodes: options.nodes ?? 1 });
      chains.push(chain);
      return makeWallet(pool, chain, await makeCaller(), options);
    },
    close: async () => {
      for (const chain of chains) chain.close();
      await pool.end();
      await database.drop();
    },
  };
}

async function makeWallet(
  pool: pg.Pool,
  chain: FakeChain,
  caller: Caller,
  { config }: WalletOptions,
): Promise<DrivenWallet> {
  const signer = createLocalSigner(generatePrivateKey());
  const { address } = signer;
  const user: Hex = `0x${randomBytes(20).toString("hex")}`;
  const clock = { nowMs: Date.now() };
  const alarms: DrivenWallet["alarms"] = [];
  const facts = stubFacts();
  const deps: SenderDeps & OutboxDeps = {
    pool,
    store: createSqlStore(pool),
    log: pino({ level: "silent" }),
    now: () => clock.nowMs,
    config: { ...DEFAULT_SENDER_CONFIG, ...config },
    rules: rulesFor(PRODUCT),
    facts,
    alarm: (alarm, fields) => alarms.push({ alarm, fields }),
  };
  const nodes = createNodes({
    chainId: chain.chainId,
    rpcUrls: chain.urls,
    confirmations: CONFIRMATIONS,
    timeoutMs: 5_000,
    // A test compares them where it needs it.
    compareMs: 1e12,
  });
  await registerWallet(pool, chain.chainId, address);
  await createDelegations(pool, { chainId: chain.chainId, productType: PRODUCT }, address, user);
  await seedEnable(pool, caller, user);
  const epoch = present(await takeLease(pool, chain.chainId, address, "test", 3_600_000), "a lease");
  const wallet: Wallet = { signer, nodes, epoch, owner: "test" };
  const state = newCycleState();
  const one = async (statement: string, id: string) =>
    present((await pool.query(statement, [id])).rows[0], `a row of ${id}`);
  return {
    chain,
    deps,
    wallet,
    state,
    address,
    user,
    caller,
    clock,
    alarms,
    facts,
    send: async (more = {}, from = caller) =>
      (await write(deps, from, newSend(address, user, more))).requestId,
    cycle: async () => void (await runCycle(deps, wallet, state)),
    row: async (requestId) => present(await findById(pool, requestId), "the request"),
    attempts: async (requestId) =>
      (
        await pool.query<AttemptRow>(
          "SELECT * FROM app.send_attempt WHERE request_id = $1 ORDER BY attempt_id",
          [requestId],
        )
      ).rows,
    stored: async () => (await readTracked(pool, wallet)).unmined,
    walletRow: () => one("SELECT * FROM app.delegatee_wallet WHERE address = $1", address),
    claim: (requestId) =>
      one(
        `SELECT c.* FROM app.transaction_claim c JOIN app.send_request r ON r.claim_id = c.claim_id
         WHERE r.request_id = $1`,
        requestId,
      ),
  };
}
