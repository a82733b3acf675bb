import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import type { Caller } from "../../../src/auth/caller.ts";
import type { OutboxDeps } from "../../../src/sending/outbox/deps.ts";
import { findById } from "../../../src/sending/outbox/request-store.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import { type NewSend, write } from "../../../src/sending/outbox/submit.ts";
import type { SenderDeps } from "../../../src/sending/sender/deps.ts";
import { createSqlStore } from "../../../src/sending/sender/sender-store.ts";
import { createLocalSigner, type Signer } from "../../../src/sending/signer/signer.ts";
import { canary } from "../assert/logs.ts";
import { present } from "../assert/until.ts";
import { createDelegations, createWallet } from "../db/builders/sends.ts";
import { type Features, PRODUCT, startFeatures } from "../http/features.ts";
import { FAST } from "./chain-fixture.ts";
import { seedEnable } from "./enables.ts";
import { newSend, rulesFor, stubFacts } from "./new-send.ts";

export const CHAIN_ID = 31337;
/** A chain and a product that rows may be of beside those under test. */
export const OTHER_CHAIN = 31338;
export const OTHER_PRODUCT = "Other";

const CONTRACT: Hex = `0x${"1".repeat(40)}`;
const contracts = { stockRouter: CONTRACT, cashier: CONTRACT, stock: CONTRACT, oneClickRouter: CONTRACT };

/** The database of the outbox, without a node. */
export interface OutboxFixture {
  features: Features;
  pool: pg.Pool;
  deps: SenderDeps & OutboxDeps;
  /** Creates an active wallet with a key of its own. */
  makeWallet(options?: { chainIds?: number[] }): Promise<Signer>;
  /** Creates a user with a delegation to a wallet, and the key that enabled it. */
  makeUser(wallet: Hex): Promise<{ user: Hex; caller: Caller }>;
  /** Creates a key that is bound to a user and has enabled nothing. */
  makeKey(user: Hex): Promise<Caller>;
  delegate(wallet: Hex, user: Hex, scope?: { chainId?: number; productType?: string }): Promise<void>;
  send(caller: Caller, wallet: Hex, more?: Partial<NewSend>): Promise<SendRow>;
  row(request: Pick<SendRow, "requestId">): Promise<SendRow>;
  /** Changes columns of a request, as another program would. */
  change(request: Pick<SendRow, "requestId">, assignments: string): Promise<void>;
  close(): Promise<void>;
}

export async function startOutbox(): Promise<OutboxFixture> {
  const deployment = { chainId: CHAIN_ID, startBlock: 0, ...contracts };
  const features = await startFeatures([{ deployment, rpcUrls: ["http://127.0.0.1:1"] }]);
  const { pool } = features.deps;
  const deps: SenderDeps & OutboxDeps = {
    ...features.deps,
    store: createSqlStore(pool),
    config: FAST,
    rules: rulesFor(PRODUCT),
    facts: stubFacts(),
    alarm: () => undefined,
  };
  const makeKey = (user: Hex) => features.makeCaller({ userAddress: user });
  const delegate: OutboxFixture["delegate"] = async (wallet, user, scope = {}) => {
    const { chainId = CHAIN_ID, productType = PRODUCT } = scope;
    await createDelegations(pool, { chainId, productType }, wallet, user);
  };
  return {
    features,
    pool,
    deps,
    makeKey,
    delegate,
    async makeWallet({ chainIds = [CHAIN_ID] } = {}) {
      const signer = createLocalSigner(canary("wallet key", generatePrivateKey()));
      await createWallet(pool, signer.address, { chainIds, nextNonce: 0, leaseEpoch: 1, leaseOwner: "test" });
      return signer;
    },
    async makeUser(wallet) {
      const user: Hex = `0x${randomBytes(20).toString("hex")}`;
      const caller = await makeKey(user);
      await delegate(wallet, user);
      await seedEnable(pool, caller, user);
      return { user, caller };
    },
    send: (caller, wallet, more = {}) =>
      write(deps, caller, newSend(wallet, present(caller.userAddress, "the key's user"), more)),
    row: async ({ requestId }) => present(await findById(pool, requestId), "the request"),
    change: async ({ requestId }, assignments) => {
      await pool.query(`UPDATE app.send_request SET ${assignments} WHERE request_id = $1`, [requestId]);
    },
    close: () => features.close(),
  };
}
