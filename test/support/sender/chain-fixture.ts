import { randomBytes } from "node:crypto";
import type pg from "pg";
import { pino } from "pino";
import {
  concat,
  createTestClient,
  type Hex,
  http,
  publicActions,
  toFunctionSelector,
  walletActions,
} from "viem";
import { generatePrivateKey } from "viem/accounts";
import type { Anvil } from "../../../packages/sandbox/src/anvil.ts";
import type { Caller } from "../../../src/auth/caller.ts";
import { CHANNELS, listen } from "../../../src/db/notifications.ts";
import type { OutboxDeps } from "../../../src/sending/outbox/deps.ts";
import { findById } from "../../../src/sending/outbox/request-store.ts";
import type { SendRow, SendState } from "../../../src/sending/outbox/rows.ts";
import { type NewSend, write } from "../../../src/sending/outbox/submit.ts";
import { type Alarm, DEFAULT_SENDER_CONFIG, type SenderConfig } from "../../../src/sending/sender/deps.ts";
import { createNodes } from "../../../src/sending/sender/nodes.ts";
import { createSqlStore } from "../../../src/sending/sender/sender-store.ts";
import { type Sender, startSender } from "../../../src/sending/sender/wallet-loop.ts";
import { createLocalSigner, type Signer } from "../../../src/sending/signer/signer.ts";
import { canary, openLog } from "../assert/logs.ts";
import { until } from "../assert/until.ts";
import { startAnvil } from "../chain/anvil.ts";
import { type RpcProxy, startRpcProxy } from "../chain/rpc-proxy.ts";
import { createApiKey } from "../db/builders/keys.ts";
import { createDelegations } from "../db/builders/sends.ts";
import { openPool } from "../db/pool.ts";
import { createDatabase } from "../db/postgres.ts";
import { seedEnable } from "./enables.ts";
import { NOWHERE, newSend, rulesFor, stubFacts } from "./new-send.ts";

/** Everything happens fast, so that a fault and its cure fit in a test. */
export const FAST: SenderConfig = {
  ...DEFAULT_SENDER_CONFIG,
  pollMs: 50,
  leaseMs: 1_500,
  rebroadcastMs: 300,
  // On a slow machine fees would be raised by accident: only tests of raised fees set less.
  bumpAfterMs: 60_000,
  foreignGraceMs: 400,
  resimulateAfterMs: 3_000,
  takenMax: 3,
  refusedMax: 3,
  observeMs: 200,
  idlePollMs: 50,
  groupMs: 10,
  // The next cycle sees a test's changes of the chain.
  viewMs: 0,
};

const CONFIRMATIONS = 3;
export const RPC_TIMEOUT_MS = 60_000;

/** A database, a chain and a proxy in front of it: what the sender needs, and no more. */
export interface ChainFixture {
  databaseUrl: string;
  pool: pg.Pool;
  anvil: Anvil;
  proxy: RpcProxy;
  chain: ReturnType<typeof chainClient>;
  caller: Caller;
  close(): Promise<void>;
}

export function chainClient(rpcUrl: string) {
  return createTestClient({ mode: "anvil", transport: http(rpcUrl, { retryCount: 0 }), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions);
}

export async function startChainFixture(options: { blockTimeSeconds?: number } = {}): Promise<ChainFixture> {
  const { url: databaseUrl, drop } = await createDatabase();
  const pool = openPool({ connectionString: databaseUrl, max: 20 });
  const { blockTimeSeconds } = options;
  const anvil = await startAnvil(blockTimeSeconds === undefined ? {} : { blockTimeSeconds });
  const proxy = await startRpcProxy(anvil.rpcUrl);
  const chain = chainClient(anvil.rpcUrl);
  await chain.setCode({ address: NOWHERE, bytecode: routerCode("0x00") });
  // Part of a block: a reorg leaves it there.
  await chain.mine({ blocks: 1 });
  const caller = await createApiKey(pool, { chainId: anvil.chainId });
  return {
    databaseUrl,
    pool,
    anvil,
    proxy,
    chain,
    caller,
    close: async () => {
      await pool.end();
      await proxy.close();
      await anvil.stop();
      await drop();
    },
  };
}

/**
 * Returns the runtime code of a OneClickRouter by which every user has delegated to whoever asks.
 * @param execution runs for every other call; it has no jumps
 */
export function routerCode(execution: Hex): Hex {
  const selector = toFunctionSelector("delegateeOf(address)");
  // Jumps behind the answer, which is the caller as a word, unless the call's first four bytes are the selector.
  return concat(["0x5f3560e01c63", selector, "0x03601557", "0x335f5260205ff3", "0x5b", execution]);
}

/** One wallet with its user, whose key sends for them, and a worker that drives it. */
export interface DrivenWallet {
  signer: Signer;
  user: Hex;
  caller: Caller;
  deps: OutboxDeps;
  alarms: { alarm: Alarm; fields: Record<string, unknown> }[];
  log: string[];
  /** Writes a request for a call that no other call equals. */
  send(more?: Partial<NewSend>): Promise<string>;
  row(requestId: string): Promise<SendRow>;
  reaches(requestId: string, states: SendState | SendState[], withinMs?: number): Promise<SendRow>;
  wallet(): Promise<{ state: string; state_reason: string | null; next_nonce: string | null }>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface DriveWalletOptions {
  config?: Partial<SenderConfig>;
  rpcUrls?: string[];
  /** Timeout of a call to a node; by default longer than a machine stalls, so that only faults exceed it. */
  rpcTimeoutMs?: number;
  databasePool?: pg.Pool;
  signer?: Signer;
  /** Contract that its requests call; by default one without code. */
  router?: Hex;
  now?: () => number;
}

export async function driveWallet(
  fixture: ChainFixture,
  options: DriveWalletOptions = {},
): Promise<DrivenWallet> {
  const signer = options.signer ?? createLocalSigner(canary("wallet key", generatePrivateKey()));
  const user: Hex = `0x${randomBytes(20).toString("hex")}`;
  const caller = await createApiKey(fixture.pool, fixture.caller);
  const to = options.router ? { to: options.router } : {};
  await fixture.chain.setBalance({ address: signer.address, value: 10n ** 20n });
  const log: string[] = [];
  const kept = openLog("sender");
  const writeLine = (line: string): void => {
    log.push(line);
    kept.write(line);
  };
  const logger = pino({ level: "debug" }, { write: writeLine });
  const pool = options.databasePool ?? fixture.pool;
  const notifications = listen(fixture.databaseUrl, CHANNELS.work, logger);
  const deps: OutboxDeps = { pool, log: logger, now: options.now ?? Date.now };
  const alarms: DrivenWallet["alarms"] = [];
  let sender: Sender | null = null;
  const start = async (): Promise<void> => {
    const config = { ...FAST, ...options.config };
    const nodes = createNodes({
      chainId: fixture.anvil.chainId,
      rpcUrls: options.rpcUrls ?? [fixture.proxy.url],
      confirmations: CONFIRMATIONS,
      timeoutMs: options.rpcTimeoutMs ?? RPC_TIMEOUT_MS,
      compareMs: 200,
      onStale: (fields) => alarms.push({ alarm: "node-stale", fields }),
      onWrongChain: (answered) => alarms.push({ alarm: "wrong-chain", fields: { answered } }),
    });
    const alarm = (name: Alarm, fields: Record<string, unknown>) => alarms.push({ alarm: name, fields });
    sender = await startSender(
      {
        ...deps,
        store: createSqlStore(pool),
        config,
        rules: rulesFor(fixture.caller.productType, options.router),
        facts: stubFacts(),
        alarm,
      },
      { signers: [signer], chains: [nodes], workNotifications: notifications },
    );
  };
  await start();
  await createDelegations(fixture.pool, caller, signer.address, user);
  await seedEnable(fixture.pool, caller, user);
  const row = async (requestId: string): Promise<SendRow> => {
    const found = await findById(fixture.pool, requestId);
    if (!found) throw new Error(`no request ${requestId}`);
    return found;
  };
  return {
    signer,
    user,
    caller,
    deps,
    alarms,
    log,
    send: async (more = {}) =>
      (await write(deps, caller, newSend(signer.address, user, { ...to, ...more }))).requestId,
    row,
    reaches: (requestId, states, withinMs = 60_000) =>
      until(
        `request ${requestId} is ${states}`,
        async () => {
          const found = await row(requestId);
          if ([states].flat().includes(found.state)) return found;
          if (["final", "failed", "canceled"].includes(found.state)) {
            throw new Error(`it is ${found.state} (${found.errCode}, ${found.reason})`);
          }
          return undefined;
        },
        withinMs,
      ),
    wallet: async () => {
      const { rows } = await fixture.pool.query(
        "SELECT state, state_reason, next_nonce FROM app.delegatee_wallet WHERE address = $1",
        [signer.address],
      );
      return rows[0];
    },
    start,
    stop: async () => {
      await sender?.stop();
      await notifications.close();
    },
  };
}

export interface Mined {
  nonce: number;
  input: Hex;
  hash: Hex;
  to: Hex | null;
}

/** Returns everything that a wallet has on the chain, by nonce. Reads blocks from the head back, until it has them all. */
export async function minedFrom(chain: ChainFixture["chain"], wallet: Hex): Promise<Mined[]> {
  const head = await chain.getBlockNumber();
  const count = await chain.getTransactionCount({ address: wallet, blockNumber: head });
  const found: Mined[] = [];
  for (let number = head; number >= 0n && found.length < count; number--) {
    const block = await chain.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { from, nonce, input, hash, to } of block.transactions) {
      if (from === wallet) found.push({ nonce, input, hash, to });
    }
  }
  return found.sort((a, b) => a.nonce - b.nonce);
}

/** Blocks on top, so that what is mined becomes final. */
export function confirm(fixture: ChainFixture): Promise<void> {
  return fixture.chain.mine({ blocks: CONFIRMATIONS });
}
