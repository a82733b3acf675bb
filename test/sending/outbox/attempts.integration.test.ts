import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Hex } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { recordTransaction } from "../../../src/claims/record.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import type { OperationType } from "../../../src/protocol/enums.ts";
import { readSendMapping, writtenMapping } from "../../../src/sending/answer/mapping.ts";
import { endRequest } from "../../../src/sending/outbox/end-store.ts";
import { findById } from "../../../src/sending/outbox/request-store.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import { write } from "../../../src/sending/outbox/submit.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { CONTRACTS, hex } from "../../support/assert/sample.ts";
import { present } from "../../support/assert/until.ts";
import { createAttempt, createDelegations, createWallet } from "../../support/db/builders/sends.ts";
import { empty } from "../../support/db/empty.ts";
import { createOnchain, type Onchain } from "../../support/db/onchain.ts";
import { PROJECTED, projected } from "../../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";
import * as verbs from "../../support/http/verbs.ts";
import { newSend } from "../../support/sender/new-send.ts";

// A send is replaced until one attempt is mined: the hash of any of them finds its mapping (docs/api.md#mapping).

const WALLET = hex(20, 0xde1e);
const USER = hex(20, 0xa11ce);
const [REPLACED, MINED, FILLER] = [hex(32, 1), hex(32, 2), hex(32, 3)];
const ALL = [REPLACED, MINED, FILLER];

let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;

beforeAll(async () => {
  // No node answers: every answer here follows from sent and indexed rows.
  const chain = { rpcUrls: ["http://127.0.0.1:1"], products: [PRODUCT, "Second"] };
  features = await startFeatures([{ deployment: { chainId: 31337, ...CONTRACTS }, ...chain }]);
  onchain = await createOnchain(features.deps.pool);
  [mine, other] = await Promise.all([
    features.makeCaller({ userAddress: USER }),
    features.makeCaller({ userAddress: USER }),
  ]);
  const { pool } = features.deps;
  await createWallet(pool, WALLET);
  await createDelegations(pool, mine, WALLET, USER);
});

afterAll(() => features?.close());

beforeEach(async () => {
  await empty(
    features.deps.pool,
    "app.send_attempt",
    "app.send_request",
    "app.transaction_claim",
    ...PROJECTED,
  );
  await onchain.clear();
  await onchain.setBlock(31337, { number: 50n, timestamp: 1_800_000_000n });
});

const listOrders = projected(verbs.listOrders);
const listOperations = projected(verbs.listOperations);
const getOrderByTransaction = projected(verbs.getOrderByTransaction);

/** Writes a send of `mine` with three attempts: replaced, mined, and one that would have filled the nonce. */
async function sent(operationType: OperationType): Promise<SendRow> {
  const { pool } = features.deps;
  const outbox = { pool, log: pino({ level: "silent" }), now: Date.now };
  const { requestId } = await write(
    outbox,
    mine,
    newSend(WALLET, USER, { operationType, needsDelegation: false }),
  );
  const claimId = present((await findById(pool, requestId))?.claimId, "a claim");
  await pool.query(
    "UPDATE app.send_request SET state = 'signed', nonce = 0, tx_hash = $2 WHERE request_id = $1",
    [requestId, MINED],
  );
  for (const txHash of ALL) {
    const attempt = { kind: txHash === FILLER ? "filler" : "call", signedBytes: Buffer.of(0), txHash };
    await createAttempt(pool, { requestId, chainId: 31337, wallet: WALLET }, attempt);
  }
  await pool.query("UPDATE app.transaction_claim SET tx_hash = $2 WHERE claim_id = $1", [claimId, MINED]);
  return present(await findById(pool, requestId), "the request");
}

/** Writes a worker's outcome of a send that will never be on the chain. */
const fail = ({ requestId }: SendRow) =>
  inTransaction(features.deps.pool, (tx) =>
    endRequest(tx, requestId, { state: "failed", errCode: "OUT_OF_GAS", reason: "its nonce was filled" }),
  );

const at = { chainId: 31337, productType: PRODUCT, txHash: MINED, logIndex: 3, userAddress: USER };
const indexOrder = () =>
  onchain.insert("stockOrder", {
    ...at,
    orderId: hex(32, 77),
    stockAddress: hex(20, 5),
    side: "Buy",
    orderType: "Market",
    status: "open",
  });
const indexDeposit = () =>
  onchain.insert("cashOperation", {
    ...at,
    opId: hex(32, 88),
    tokenAddress: hex(20, 6),
    kind: "deposit",
    status: "completed",
  });
const record = (caller: Caller, txHash: Hex, kind: OperationType = "trade") =>
  recordTransaction(features.deps, caller, kind, { txHash });
const byTx = (caller: Caller, txHash: Hex) => getOrderByTransaction(features.deps, caller, { txHash });
const claimCount = async () =>
  (await features.deps.pool.query("SELECT count(*)::int AS n FROM app.transaction_claim")).rows[0].n;

describe.each(ALL.map((txHash) => [txHash.slice(-1), txHash] as const))(
  "attempt %s of a send",
  (_n, txHash) => {
    it("finds the order by transaction, in lists, and when it is recorded", async () => {
      await sent("trade");
      expect((await byTx(mine, txHash)).data).toMatchObject({ status: "Init", txHash: MINED });
      expect((await record(mine, txHash)).data).toMatchObject({ source: "send", mappingStatus: "pending" });
      await indexOrder();
      const { data } = await byTx(mine, txHash);
      expect(data).toMatchObject({ orderId: hex(32, 77), txHash: MINED, mapping: { source: "send" } });
      const { rows, total } = (await listOrders(features.deps, mine, { txHash })).data;
      expect({ total, found: rows.map(({ orderId }) => orderId) }).toEqual({
        total: 1,
        found: [data.orderId],
      });
      expect((await record(mine, txHash)).data).toEqual(data.mapping);
      expect(await claimCount()).toBe(1);
    });

    it("finds the deposit in lists, and when it is recorded", async () => {
      await sent("deposit");
      await indexDeposit();
      const { rows, total } = (await listOperations(features.deps, mine, "deposit", { txHash })).data;
      const ids = rows.map(({ operationId }) => operationId);
      expect({ total, ids }).toEqual({ total: 1, ids: [hex(32, 88)] });
      expect((await record(mine, txHash, "deposit")).data).toMatchObject({
        operationId: hex(32, 88),
        source: "send",
        txHash: MINED,
      });
    });

    it("is another key's for every other key, before and after it is mined", async () => {
      await sent("trade");
      for (const index of [async () => undefined, indexOrder]) {
        await index();
        await expectRefusal(record(other, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
        await expectRefusal(byTx(other, txHash), "TRANSACTION_NOT_FOUND");
        expect((await listOrders(features.deps, other, { txHash })).data.rows).toEqual([]);
      }
      expect(await claimCount()).toBe(1);
    });

    it("is of the kind that was sent", async () => {
      await sent("trade");
      const refusal = await expectRefusal(record(mine, txHash, "deposit"), "TX_WRONG_KIND", "txHash");
      expect(refusal.message).toContain("POST /orders/tx");
    });

    it("is not there in another product", async () => {
      await sent("trade");
      const second = { ...mine, productType: "Second" };
      await expectRefusal(byTx(second, txHash), "TRANSACTION_NOT_FOUND");
      expect((await listOrders(features.deps, second, { txHash })).data.rows).toEqual([]);
    });
  },
);

describe("a send that failed for good", () => {
  it.each(ALL)(
    "is Failed by the hash of every attempt, in lists, and when it is recorded: %s",
    async (txHash) => {
      await fail(await sent("trade"));
      const { data } = await byTx(mine, txHash);
      expect(data).toMatchObject({
        status: "Failed",
        onChainStatus: "history",
        txHash: MINED,
        mapping: { mappingStatus: "reverted", source: "send" },
        historyOrder: { status: "Failed", failReason: "The transaction failed" },
      });
      expect((await listOrders(features.deps, mine, { txHash })).data.rows).toEqual([data]);
      expect((await listOrders(features.deps, mine, { status: "Failed" })).data.rows).toEqual([data]);
      expect((await record(mine, txHash)).data).toEqual(data.mapping);
      expect((await byTx(mine, txHash)).data).toEqual(data);
    },
  );

  it("says so in the mapping of its own answer", async () => {
    const request = await sent("trade");
    await fail(request);
    const row = present(await findById(features.deps.pool, request.requestId), "the request");
    expect(await readSendMapping(features.deps, row)).toMatchObject({ mappingStatus: "reverted" });
  });

  it("has the mapping that its request says while it is not mined", async () => {
    const request = await sent("trade");
    const row = present(await findById(features.deps.pool, request.requestId), "the request");
    expect(["signed", "broadcast"]).toContain(row.state);
    expect(await readSendMapping(features.deps, row)).toEqual(writtenMapping(row, "trade"));
  });

  it("is a failed deposit in the list of deposits", async () => {
    await fail(await sent("deposit"));
    const { rows } = (await listOperations(features.deps, mine, "deposit", { status: "failed" })).data;
    expect(rows).toMatchObject([{ txHash: MINED, mappingStatus: "reverted", depositOperation: null }]);
  });
});

it("a hash that no attempt had finds nothing", async () => {
  await sent("trade");
  await indexOrder();
  await expectRefusal(byTx(mine, hex(32, 4)), "TRANSACTION_NOT_FOUND");
  expect((await listOrders(features.deps, mine, { txHash: hex(32, 4) })).data.total).toBe(0);
});
