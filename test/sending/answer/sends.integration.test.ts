import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { encodeFunctionData } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { encodeEventCursor } from "../../../src/context/input/event-cursor.ts";
import { parseInput } from "../../../src/context/input/fields.ts";
import { oneClickRouterAbi, stockRouterAbi } from "../../../src/contracts/abi/index.ts";
import type { Prisma } from "../../../src/db/generated/client.ts";
import { SEND_OPERATIONS, SEND_STATUSES } from "../../../src/protocol/enums.ts";
import { getSend } from "../../../src/sending/answer/get.ts";
import { sendIdShape, sendListShape } from "../../../src/sending/answer/input.ts";
import { listSends } from "../../../src/sending/answer/list.ts";
import { presentSend, sendProgressSchema } from "../../../src/sending/outbox/reply.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { CONTRACTS, hex } from "../../support/assert/sample.ts";
import { SEED, seededRandom } from "../../support/assert/seeded-random.ts";
import { present } from "../../support/assert/until.ts";
import { createClaim } from "../../support/db/builders/claims.ts";
import { insertRows } from "../../support/db/builders/rows.ts";
import { createSends, createWallet } from "../../support/db/builders/sends.ts";
import { empty } from "../../support/db/empty.ts";
import { createOnchain, type Onchain } from "../../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../../support/db/plans.ts";
import { PROJECTED, project } from "../../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";

const CHAIN_ID = 31337;
const USER = hex(20, 0xa1);
const WALLET = hex(20, 0xde);
const tx = (value: number) => hex(32, 0x1000 + value);
const id = (value: number) => hex(32, 0xabc000 + value);
const scope = { chainId: CHAIN_ID, productType: PRODUCT };

let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  onchain = await createOnchain(features.deps.pool);
  [mine, other] = await Promise.all([
    features.makeCaller({ userAddress: USER }),
    features.makeCaller({ userAddress: hex(20, 0xb2) }),
  ]);
  await createWallet(features.deps.pool, WALLET);
});

afterAll(() => features?.close());

beforeEach(async () => {
  await empty(features.deps.pool, "app.send_request", "app.transaction_claim");
  await empty(features.deps.pool, ...PROJECTED);
  await onchain.clear();
  await onchain.setBlock(CHAIN_ID, { number: 50n, timestamp: 1_800_000_000n });
});

const getNow = (caller: Caller, requestId: string) =>
  getSend(features.deps, caller, parseInput(sendIdShape, { requestId }));

async function get(caller: Caller, requestId: string) {
  await project(features.deps);
  return getNow(caller, requestId);
}
const list = (caller: Caller, input: object = {}, deps = features.deps) =>
  listSends(deps, caller, parseInput(sendListShape, { ...input }));

async function send(caller: Caller, options: Partial<Prisma.SendRequestCreateManyInput>): Promise<string> {
  const [requestId] = await createSends(features.deps.pool, caller, {
    userAddress: USER,
    wallet: WALLET,
    acceptedAt: new Date(1_799_000_000_123),
    ...options,
  });
  return present(requestId, "a request");
}

const mined = (nonce: bigint) => ({
  state: "mined",
  nonce,
  minedBlock: 40n,
  minedBlockHash: hex(32, 1),
  minedSuccess: true,
  minedFiller: false,
});

/** Inserts an order that was sent, mined and indexed. @returns its claim */
async function placed(value: number): Promise<string> {
  const claimId = await createClaim(features.deps.pool, mine, {
    txHash: tx(value),
    source: "send",
    userAddress: USER,
    clientOrderId: `my-${value}`,
  });
  await onchain.insert("stockOrder", {
    ...scope,
    orderId: id(value),
    txHash: tx(value),
    logIndex: 3,
    userAddress: USER,
    side: "Buy",
    orderType: "Limit",
    status: "open",
    stockAddress: hex(20, 0x571),
  });
  return claimId;
}

describe("GET /sends/{requestId}", () => {
  it("answers the reply of POST as it stands now, with what it made", async () => {
    const claimId = await placed(1);
    const terms = { claimId, clientOrderId: "my-1", txHash: tx(1) };
    const requestId = await send(mine, { ...terms, ...mined(1n) });
    const { block, data } = await get(mine, requestId.toUpperCase());
    expect(block?.number).toBe(50n);
    expect(data).toMatchObject({
      requestId,
      operation: "orders/send",
      status: "confirmed",
      final: false,
      txHash: tx(1),
      errCode: null,
      revert: null,
      acceptedAt: 1_799_000_000,
      mapping: { mappingId: claimId, orderId: id(1), clientOrderId: "my-1", mappingStatus: "indexed" },
    });
  });

  it("shows the claim alone while the index has nothing, and before the rows of the chain are complete", async () => {
    const claimId = await createClaim(features.deps.pool, mine, { txHash: tx(1), source: "send" });
    const requestId = await send(mine, { claimId, txHash: tx(1), state: "broadcast", nonce: 1n });
    const pending = { status: "submitted", mapping: { mappingId: claimId, mappingStatus: "pending" } };
    expect(await get(mine, requestId)).toMatchObject({ block: { number: 50n }, data: pending });
    await empty(features.deps.pool, "app.event_chain");
    expect(await getNow(mine, requestId)).toMatchObject({ block: null, data: pending });
    expect(await list(mine)).toMatchObject({ block: null, eventCursor: null, data: { rows: [pending] } });
  });

  it("shows why a request failed that no transaction was made for", async () => {
    const claimId = await createClaim(features.deps.pool, mine, {
      txHash: null,
      source: "send",
      state: "reverted",
      clientOrderId: "lost",
    });
    const failed = { state: "failed", errCode: "DEADLINE_EXPIRED", clientOrderId: "lost" };
    const requestId = await send(mine, { ...failed, claimId });
    expect((await get(mine, requestId)).data).toMatchObject({
      status: "failed",
      final: true,
      txHash: null,
      errCode: "DEADLINE_EXPIRED",
      mapping: { mappingStatus: "reverted", orderId: null, clientOrderId: "lost" },
    });
  });

  it("shows the order's own mapping of a cancel, and none of an enable", async () => {
    const claimId = await placed(2);
    const routerCall = encodeFunctionData({
      abi: stockRouterAbi,
      functionName: "cancelLimitOrder",
      args: [id(2)],
    });
    const call = encodeFunctionData({
      abi: oneClickRouterAbi,
      functionName: "executeFor",
      args: [USER, `${routerCall}${"ab".repeat(80)}`],
    });
    const callData = Buffer.from(call.slice(2), "hex");
    const cancel = await send(mine, { operation: "orders/cancel", callData });
    expect((await get(mine, cancel)).data.mapping).toMatchObject({ mappingId: claimId, orderId: id(2) });
    const enable = await send(mine, { operation: "1ct/enable" });
    expect((await get(mine, enable)).data).toMatchObject({ operation: "1ct/enable", mapping: null });
  });

  it("shows the cash or stock that a request moved", async () => {
    const { pool } = features.deps;
    const common = { ...scope, userAddress: USER, tokenAddress: hex(20, 7) };
    for (const [value, operationType] of [
      [1, "withdraw"],
      [2, "stock-deposit"],
    ] as const) {
      const claimId = await createClaim(pool, mine, { txHash: tx(value), source: "send", operationType });
      const row = { ...common, opId: id(value), txHash: tx(value) };
      if (operationType === "withdraw")
        await onchain.insert("cashOperation", { ...row, kind: operationType, status: "processing" });
      else await onchain.insert("stockOperation", { ...row, kind: operationType });
      const requestId = await send(mine, { claimId, operation: "cash/withdrawals", txHash: tx(value) });
      expect((await get(mine, requestId)).data.mapping).toMatchObject({
        operationType,
        operationId: id(value),
      });
    }
  });

  it("answers of another key's request what it answers of none", async () => {
    const requestId = await send(mine, {});
    for (const asked of [requestId, randomUUID()]) await expectRefusal(get(other, asked), "SEND_NOT_FOUND");
    for (const scoped of [
      { ...mine, chainId: 31338 },
      { ...mine, productType: "Second" },
    ])
      await expectRefusal(get(scoped, requestId), "SEND_NOT_FOUND");
    expect((await list(other)).data.rows).toEqual([]);
    expect(() => parseInput(sendIdShape, { requestId: `${requestId}0` })).toThrow("requestId must be a UUID");
  });
});

const STATES = ["accepted", "signed", "broadcast", "mined", "final", "failed", "canceled"] as const;
const COUNT = 200;

describe("GET /sends", () => {
  it(`finds by each combination of filters what they mean, page by page (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    const flag = () => [true, false, null][random.below(3)] ?? null;
    const rows = Array.from({ length: COUNT }, (_, n) => {
      const state = random.of(STATES);
      const isMined = state === "mined";
      return {
        requestId: randomUUID(),
        operation: random.of(SEND_OPERATIONS),
        state,
        clientOrderId: n % 3 === 0 ? `order-${n}` : null,
        nonce: state === "accepted" ? null : BigInt(n),
        minedBlock: isMined ? 1n : null,
        minedBlockHash: isMined ? hex(32, n) : null,
        minedSuccess: isMined ? (flag() ?? false) : null,
        minedFiller: isMined ? flag() : null,
        outcome: state === "final" ? random.of(["confirmed", "reverted"]) : null,
        errCode: state === "failed" || state === "canceled" ? "OUT_OF_GAS" : null,
        // Many are of the same moment: their ids then decide.
        acceptedAt: new Date(1_799_000_000_000 + random.below(60) * 500),
        userAddress: USER,
        wallet: WALLET,
      };
    });
    await createSends(features.deps.pool, mine, ...rows);
    await createSends(features.deps.pool, other, { userAddress: USER, wallet: WALLET });
    const model = rows
      .sort((a, b) => b.acceptedAt.getTime() - a.acceptedAt.getTime() || (a.requestId < b.requestId ? 1 : -1))
      .map(({ acceptedAt, ...row }) =>
        Object.assign(row, {
          acceptedAtMs: acceptedAt.getTime(),
          ...presentSend(
            sendProgressSchema.parse({
              ...row,
              txHash: null,
              revert: null,
              acceptedAtMs: acceptedAt.getTime(),
            }),
          ),
        }),
      );
    const choices = <T>(words: readonly T[]) => [undefined, random.of(words), random.of(words)];
    for (const status of [undefined, ...SEND_STATUSES])
      for (const operation of choices(SEND_OPERATIONS))
        for (const from of [undefined, 1_799_000_007])
          for (const to of [undefined, 1_799_000_020])
            for (const clientOrderId of [undefined, `order-${3 * random.below(66)}`]) {
              const expected = model.filter(
                (row) =>
                  (status === undefined || row.status === status) &&
                  (operation === undefined || row.operation === operation) &&
                  (clientOrderId === undefined || row.clientOrderId === clientOrderId) &&
                  (from === undefined || row.acceptedAt >= from) &&
                  (to === undefined || row.acceptedAt <= to),
              );
              const found: string[] = [];
              let cursor: string | undefined;
              do {
                const input = { status, operation, clientOrderId, from, to, limit: 37, cursor };
                const { data } = await list(mine, input);
                found.push(...data.rows.map(({ requestId }) => requestId));
                cursor = data.nextCursor ?? undefined;
              } while (cursor !== undefined);
              expect({ clientOrderId, found }).toEqual({
                clientOrderId,
                found: expected.map(({ requestId }) => requestId),
              });
            }
  });

  it("says where the log of events was, and refuses the cursor of another list", async () => {
    await project(features.deps);
    await insertRows(features.deps.pool, "app.event_head", [{ ...scope, keyId: mine.keyId, sequence: 7n }]);
    const { eventCursor } = await list(mine);
    expect(eventCursor).toBe(encodeEventCursor(mine, 7n));
    expect((await list(other)).eventCursor).toBe(encodeEventCursor(other, 0n));
    await expectRefusal(list(mine, { cursor: eventCursor ?? "" }), "VALIDATION_FAILED", "cursor");
  });

  it("reads what it answers, however many requests the key has made", async () => {
    const { pool } = features.deps;
    const many = Array.from({ length: 6_000 }, (_, n) => ({
      userAddress: USER,
      wallet: WALLET,
      acceptedAt: new Date(1_799_000_000_000 + n),
      ...(n % 2 === 0
        ? { operation: "orders/send", state: "final", nonce: BigInt(n), outcome: "confirmed" }
        : { operation: "cash/deposits", state: "failed", errCode: "OUT_OF_GAS" }),
    }));
    await createSends(pool, mine, ...many, {
      userAddress: USER,
      wallet: WALLET,
      operation: "1ct/enable",
      clientOrderId: "one",
      acceptedAt: new Date(1_700_000_000_000),
    });
    await pool.query("ANALYZE app.send_request");
    const { deps, statements } = recordStatements(features.deps);
    for (const filter of [
      {},
      { status: "failed" },
      { operation: "orders/send", status: "failed" },
      { operation: "1ct/enable" },
      { status: "accepted" },
      { from: 1_799_000_001, to: 1_799_000_002 },
      { clientOrderId: "one" },
    ])
      await list(mine, { limit: 5, ...filter }, deps);
    // Six of each of the two pairs that there are, and those of the page.
    expect(await mostRowsRead(pool, statements)).toBeLessThan(60);
  });
});
