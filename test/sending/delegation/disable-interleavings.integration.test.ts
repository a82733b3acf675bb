import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import type { Caller } from "../../../src/auth/caller.ts";
import { disable } from "../../../src/oneclick/disable.ts";
import type { OutboxDeps } from "../../../src/sending/outbox/deps.ts";
import { findById } from "../../../src/sending/outbox/request-store.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import { write } from "../../../src/sending/outbox/submit.ts";
import { cancelUnsigned } from "../../../src/sending/sender/cancellation.ts";
import { newCycleState } from "../../../src/sending/sender/context.ts";
import type { SenderDeps } from "../../../src/sending/sender/deps.ts";
import { createNodes } from "../../../src/sending/sender/nodes.ts";
import { createSqlStore } from "../../../src/sending/sender/sender-store.ts";
import { signRequests } from "../../../src/sending/sender/sign.ts";
import type { Wallet } from "../../../src/sending/sender/wallet.ts";
import { createLocalSigner } from "../../../src/sending/signer/signer.ts";
import { canary } from "../../support/assert/logs.ts";
import { present } from "../../support/assert/until.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import { createDelegations, createWallet } from "../../support/db/builders/sends.ts";
import { empty } from "../../support/db/empty.ts";
import { waitsForLock } from "../../support/db/locks.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";
import { FAST } from "../../support/sender/chain-fixture.ts";
import { seedEnable } from "../../support/sender/enables.ts";
import { newSend, rulesFor, stubFacts, verified } from "../../support/sender/new-send.ts";

// docs/faults.md, row 70: a disable, a send and a signing at the same instant. Each interleaving is forced at a lock that the
// test holds: one side stops there, and the other must wait for the delegation's row.

const CHAIN_ID = 31337;
const CONTRACT: Hex = `0x${"1".repeat(40)}`;
const contracts = { stockRouter: CONTRACT, cashier: CONTRACT, stock: CONTRACT, oneClickRouter: CONTRACT };
const FEES = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const signer = createLocalSigner(canary("wallet key", generatePrivateKey()));

let features: Features;
let pool: pg.Pool;
let user: Hex;
let caller: Caller;
/** Another key that is bound to the same user. */
let other: Caller;
let wallet: Wallet;
let deps: SenderDeps & OutboxDeps;
let holder: pg.PoolClient;

beforeAll(async () => {
  // No node answers, and none is needed: everything happens in the database.
  const rpcUrls = ["http://127.0.0.1:1"];
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, startBlock: 0, ...contracts }, rpcUrls },
  ]);
  pool = features.deps.pool;
  const nodes = createNodes({ chainId: CHAIN_ID, rpcUrls, confirmations: 3, timeoutMs: 100 });
  wallet = { signer, nodes, epoch: 1n, owner: "test" };
  deps = {
    ...features.deps,
    store: createSqlStore(pool),
    config: FAST,
    rules: rulesFor(PRODUCT),
    facts: stubFacts(),
    alarm: () => undefined,
  };
});
afterAll(() => features?.close());

beforeEach(async () => {
  await empty(pool, "app.send_request", "app.transaction_claim", "app.delegation", "app.delegatee_wallet");
  user = `0x${randomBytes(20).toString("hex")}`;
  [caller, other] = await Promise.all([
    features.makeCaller({ userAddress: user }),
    features.makeCaller({ userAddress: user }),
  ]);
  const leased = { chainIds: [CHAIN_ID], nextNonce: 0, leaseEpoch: 1, leaseOwner: "test" };
  await createWallet(pool, signer.address, leased);
  await createDelegations(pool, caller, signer.address, user);
  await seedEnable(pool, caller, user);
  holder = await pool.connect();
  await holder.query("BEGIN");
});
afterEach(async () => {
  await holder.query("ROLLBACK");
  holder.release();
});

const send = (from = caller): Promise<SendRow> => write(deps, from, newSend(signer.address, user));
const sign = (request: SendRow): Promise<boolean> =>
  signRequests({ deps, wallet, state: newCycleState(), inFlight: [] }, [verified(request)], FEES);
const off = (): ReturnType<typeof disable> => disable(features.deps, caller);
const row = async ({ requestId }: SendRow): Promise<SendRow> =>
  present(await findById(pool, requestId), "the request");
const hold = ({ requestId }: SendRow) =>
  holder.query("SELECT 1 FROM app.send_request WHERE request_id = $1 FOR UPDATE", [requestId]);
const release = () => holder.query("COMMIT");

const DISABLE_WAITS = "%FROM app.delegation%FOR UPDATE%";
const OTHERS_WAIT = "%FROM app.delegation%FOR SHARE%";
const REQUEST_LOCK = "%FROM app.send_request%FOR UPDATE%";
const CANCELED = { state: "canceled", errCode: "DELEGATION_NOT_ENABLED", nonce: null };

/** Disables, which cancels `accepted`, and sends `next` before the commit of that: it waits, and is refused. */
async function expectRefusedBehindDisable(accepted: SendRow, next: () => Promise<SendRow>): Promise<void> {
  await hold(accepted);
  const disabling = off();
  await waitsForLock(pool, REQUEST_LOCK, disabling);
  const sending = next();
  const refused = expect(sending).rejects.toMatchObject({ errCode: "DELEGATION_NOT_ENABLED" });
  await waitsForLock(pool, OTHERS_WAIT, sending);
  await release();
  expect(await disabling).toMatchObject({ status: "disabled" });
  await refused;
  expect(await row(accepted)).toMatchObject(CANCELED);
}

describe("a disable beside a send", () => {
  it("waits for a send that is being written, and cancels it before it answers", async () => {
    await setPolicy(pool, caller);
    await holder.query("SELECT 1 FROM app.key_policy WHERE key_id = $1 FOR UPDATE", [caller.keyId]);
    const sending = send();
    await waitsForLock(pool, "%app.key_policy%FOR NO KEY UPDATE%", sending);
    const disabling = off();
    await waitsForLock(pool, DISABLE_WAITS, disabling);
    await release();
    const sent = await sending;
    expect(await disabling).toMatchObject({ status: "disabled" });
    expect(await row(sent)).toMatchObject(CANCELED);
  });

  it("makes a send wait that comes after it, and that send is refused", async () => {
    await expectRefusedBehindDisable(await send(), send);
    const { rowCount } = await pool.query("SELECT 1 FROM app.send_request WHERE operation = 'orders/send'");
    expect(rowCount).toBe(1);
  });
});

describe("a disable beside an enable", () => {
  const enable = (nonce: number): Promise<SendRow> =>
    write(deps, caller, {
      ...newSend(signer.address, user, { operation: "1ct/enable", operationType: null }),
      operationKey: `enable:${user}:${nonce}`,
      needsDelegation: false,
      delegationEpoch: 0,
    });

  it("cancels one that was accepted before, and refuses one that read the delegation before", async () => {
    await expectRefusedBehindDisable(await enable(1), () => enable(2));
    const { rows } = await pool.query("SELECT operation FROM app.send_request WHERE state = 'accepted'");
    expect(rows).toEqual([{ operation: "1ct/disable" }]);
  });
});

describe("a disable beside a signing", () => {
  it("waits for a request that is being signed, and comes behind it", async () => {
    const request = await send();
    await hold(request);
    const signing = sign(request);
    await waitsForLock(pool, REQUEST_LOCK, signing);
    const disabling = off();
    await waitsForLock(pool, DISABLE_WAITS, disabling);
    await release();
    expect(await signing).toBe(true);
    // An earlier signed request may still land; the disable has not answered until then.
    expect(await row(request)).toMatchObject({ state: "signed", nonce: 0n });
    expect(await disabling).toMatchObject({ status: "disabled" });
    const { rows } = await pool.query<{ state: string }>(
      "SELECT state FROM app.send_request WHERE operation = '1ct/disable'",
    );
    expect(rows).toEqual([{ state: "accepted" }]);
  });

  it("makes a signing wait that comes after it, and nothing is signed", async () => {
    const [first, second] = [await send(), await send()];
    await hold(first);
    const disabling = off();
    await waitsForLock(pool, REQUEST_LOCK, disabling);
    const signing = sign(second);
    await waitsForLock(pool, OTHERS_WAIT, signing);
    await release();
    expect(await disabling).toMatchObject({ status: "disabled" });
    await signing;
    for (const request of [first, second]) expect(await row(request)).toMatchObject(CANCELED);
    const { rows } = await pool.query<{ next_nonce: string }>(
      "SELECT next_nonce FROM app.delegatee_wallet WHERE address = $1",
      [signer.address],
    );
    expect(rows).toEqual([{ next_nonce: "0" }]);
  });
});

describe("signing rechecks that the key's own enable is in force", () => {
  /** Ends the delegation by a transaction of the user's own, then enables the other key. */
  async function enableOtherAfterUndelegation(): Promise<void> {
    await seedEnable(pool, other, user);
    await pool.query(
      "UPDATE app.send_request SET operation_key = $2 WHERE key_id = $1 AND operation = '1ct/enable'",
      [other.keyId, `enable:${user}:2`],
    );
  }

  it.each<[string, (request: SendRow) => Promise<unknown>]>([
    ["before it is signed", sign],
    ["while its wallet stands still", () => cancelUnsigned(deps, wallet)],
  ])("and ends a request of a key whose enable ended: %s", async (_when, look) => {
    const request = await send();
    await enableOtherAfterUndelegation();
    await look(request);
    expect(await row(request)).toMatchObject(CANCELED);
    await expect(send()).rejects.toMatchObject({ errCode: "DELEGATION_NOT_ENABLED" });
    expect(await sign(await send(other))).toBe(true);
  });

  it("and signs for both keys where the user enabled one after the other", async () => {
    await seedEnable(pool, other, user);
    const requests = [await send(), await send(other)];
    await cancelUnsigned(deps, wallet);
    const areSigned = [];
    for (const request of requests) areSigned.push(await sign(request));
    expect({ areSigned }).toEqual({ areSigned: [true, true] });
  });

  it("and ends a request whose enable a reorg took out", async () => {
    await seedEnable(pool, other, user, "mined");
    const request = await send(other);
    await pool.query(
      `UPDATE app.send_request SET state = 'broadcast', mined_block = NULL, mined_block_hash = NULL, mined_success = NULL
       WHERE operation = '1ct/enable' AND key_id = $1`,
      [other.keyId],
    );
    await sign(request);
    expect(await row(request)).toMatchObject(CANCELED);
  });
});
