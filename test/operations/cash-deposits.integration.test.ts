import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { Interface } from "ethers";
import { getAddress, type Hex, type LocalAccount, parseEther, parseEventLogs, parseUnits } from "viem";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import type { Caller } from "../../src/auth/caller.ts";
import { cashierAbi } from "../../src/contracts/abi/index.ts";
import type { ClaimState } from "../../src/db/generated/enums.ts";
import type { OperationType } from "../../src/protocol/enums.ts";
import { cashier, cashToken } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { present } from "../support/assert/until.ts";
import { account, type Product, send, snapshot, startProduct } from "../support/chain/product.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { PROJECTED, projected } from "../support/db/projected.ts";
import { seedTerms } from "../support/db/seed.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../support/http/features.ts";
import * as verbs from "../support/http/verbs.ts";

// Cash deposits: calldata against a real chain, lists and details over rows of every kind.

let product: Product;
let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;
let ann: LocalAccount;
let usdc: Hex;
let dai: Hex;
let goBack: () => Promise<void>;
const newcomer = account(9);

beforeAll(async () => {
  product = await startProduct({ users: 1 });
  features = await startFeatures([
    { deployment: product.deployment, rpcUrls: [product.rpcUrl], products: [PRODUCT, "Second"] },
  ]);
  onchain = await createOnchain(features.deps.pool);
  [mine, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
  ann = present(product.users[0], "a user");
  usdc = present(product.deployment.cashTokens[0], "a cash token").address;
  dai = present(product.deployment.cashTokens[1], "a cash token").address;
  await sendAll(product.client, product.deployer, [
    { name: "coins", to: newcomer.address, value: parseEther("1"), gas: 21_000n },
    { name: "mint", to: usdc, data: cashToken("mint", newcomer.address, parseUnits("50", 6)), gas: 500_000n },
  ]);
});

afterAll(async () => {
  await features?.close();
  await product?.stop();
});

beforeEach(async () => {
  await goBack?.();
  goBack = await snapshot(product.client);
  await empty(features.deps.pool, "app.transaction_claim", ...PROJECTED);
  await reseed();
});

/** Updates the index to the state of the chain. */
async function reseed(): Promise<void> {
  await onchain.clear();
  await seedTerms(onchain, product);
}

type Args = Record<string, unknown>;
async function build(args: Args) {
  const asked = { userAddress: ann.address, tokenAddress: usdc, ...args };
  const { data } = await verbs.operationCalldata(features.deps, mine, "deposit", asked);
  return { ...data, forecast: present(data.forecast, "a forecast") };
}
const admin = (data: Hex) => send(product.client, product.deployer, product.deployment.cashier, data);

describe("calldata", () => {
  it("is read by ethers as the deposit that was asked for", async () => {
    const call = await build({ tokenAmount: "250.5" });
    const read = new Interface(["function deposit(address token, uint96 amount)"]).parseTransaction({
      data: call.callData,
    });
    expect(read?.args.toArray()).toEqual([getAddress(usdc), 250_500_000n]);
    expect(call).toMatchObject({
      toAddress: getAddress(product.deployment.stockRouter),
      value: "0",
      method: "deposit",
      args: { token: getAddress(usdc), amount: "250500000" },
      chainId: 31337,
      productType: PRODUCT,
      preflight: {
        ok: true,
        revert: null,
        checks: [
          { check: "walletAllowance", ok: true, fix: null },
          { check: "walletBalance", ok: true },
        ],
      },
    });
  });

  it.each<[string, () => Hex, Args]>([
    ["a token of 6 decimals", () => usdc, { tokenAmount: "123.456789" }],
    ["a token of 18 decimals", () => dai, { tokenAmount: "123.456789012345678901" }],
  ])("of %s credits what was forecast, fee deducted", async (_what, token, args) => {
    await admin(cashier("setTokenFees", token(), 37, 0));
    await reseed();
    const call = await build({ tokenAddress: token(), ...args });
    expect(call.forecast.isInstant).toBe(true);
    const { logs } = await send(product.client, ann, lower(call.toAddress), call.callData);
    const [event] = parseEventLogs({ abi: cashierAbi, logs, eventName: "InstantDeposit" });
    expect(parseEther(call.forecast.creditAmount)).toBe(event?.args.creditWad);
    const gross = Number(args.tokenAmount);
    expect(Number(call.forecast.creditAmount) + Number(call.forecast.feeAmount)).toBeCloseTo(gross, 6);
    expect(Number(call.forecast.feeAmount)).toBeGreaterThan(0);
  });

  it("is forecast as queued where a buffer does not cover it, to the last unit", async () => {
    await admin(cashier("setCreditBuffer", parseEther("100"), parseEther("1000000")));
    await reseed();
    expect((await build({ tokenAmount: "100" })).forecast.isInstant).toBe(true);
    const queued = await build({ tokenAmount: "100.000001" });
    expect(queued.forecast).toEqual({ isInstant: false, creditAmount: "100.000001", feeAmount: "0" });
    expect(queued.preflight?.ok).toBe(true);
    const { logs } = await send(product.client, ann, lower(queued.toAddress), queued.callData);
    expect(parseEventLogs({ abi: cashierAbi, logs, eventName: "DepositRequested" })).toHaveLength(1);
  });

  it("names a missing allowance with the approve call that mends it", async () => {
    const args = { userAddress: newcomer.address, tokenAmount: "20" };
    const first = await build(args);
    expect(first.preflight).toMatchObject({
      ok: false,
      gasEstimate: null,
      revert: "ERC20InsufficientAllowance",
      checks: [
        {
          check: "walletAllowance",
          ok: false,
          required: "20",
          actual: "0",
          fix: { toAddress: getAddress(usdc), value: "0" },
        },
        { check: "walletBalance", ok: true, required: "20", actual: "50", fix: null },
      ],
    });
    const fix = present(first.preflight?.checks[0]?.fix, "a fix");
    await send(product.client, newcomer, lower(fix.toAddress), lower(fix.callData));
    const second = await build(args);
    expect(second.preflight?.ok).toBe(true);
    await send(product.client, newcomer, lower(second.toAddress), second.callData);
  });

  it("names a balance that is too low, and is returned all the same", async () => {
    const call = await build({ userAddress: newcomer.address, tokenAmount: "50.000001" });
    expect(call.preflight).toMatchObject({
      ok: false,
      checks: [{}, { check: "walletBalance", ok: false, actual: "50", fix: null }],
    });
    expect(call.callData).toMatch(/^0x/);
  });
});

describe("what is refused", () => {
  it.each<[string, Args, string, string]>([
    ["no wallet", { userAddress: null, tokenAmount: "1" }, "VALIDATION_FAILED", "userAddress"],
    ["a malformed wallet", { userAddress: "me", tokenAmount: "1" }, "VALIDATION_FAILED", "userAddress"],
    ["no token", { tokenAddress: null, tokenAmount: "1" }, "VALIDATION_FAILED", "tokenAddress"],
    ["no amount", {}, "VALIDATION_FAILED", "tokenAmount"],
    ["an amount that is none", { tokenAmount: "1,5" }, "VALIDATION_FAILED", "tokenAmount"],
    ["an amount of nothing", { tokenAmount: "0" }, "VALIDATION_FAILED", "tokenAmount"],
    ["a negative amount", { tokenAmount: "-5" }, "VALIDATION_FAILED", "tokenAmount"],
    ["more digits than the token has", { tokenAmount: "1.0000001" }, "TOO_MANY_DECIMALS", "tokenAmount"],
    [
      "more than uint96",
      { tokenAmount: "79228162514264337593543.950336" },
      "VALIDATION_FAILED",
      "tokenAmount",
    ],
    [
      "a token that is none of the Cashier's",
      { tokenAddress: `0x${"99".repeat(20)}`, tokenAmount: "1" },
      "TOKEN_NOT_SUPPORTED",
      "tokenAddress",
    ],
    ["less than the minimum", { tokenAmount: "0.000001" }, "BELOW_MINIMUM", "tokenAmount"],
  ])("%s", async (_what, args, errCode, param) => {
    await expectRefusal(build(args), errCode, param);
  });

  it("a token whose deposits are paused", async () => {
    await admin(cashier("setTokenPaused", usdc, true, false));
    await reseed();
    await expectRefusal(build({ tokenAmount: "10" }), "TOKEN_PAUSED", "tokenAddress");
    expect((await build({ tokenAddress: dai, tokenAmount: "10" })).value).toBe("0");
  });
});

const ids = { scope: { chainId: 31337, productType: PRODUCT } };
const hex = (value: number): Hex => `0x${value.toString(16).padStart(64, "0")}`;
const ALICE = `0x${"a1".repeat(20)}` as const;
const BOB = `0x${"b0".repeat(20)}` as const;

let moment = 0;
async function claim(
  caller: Caller,
  tx: number,
  operationType: OperationType = "deposit",
  state: ClaimState = "pending",
  createdMs?: number,
): Promise<string> {
  const createdAt = new Date(createdMs ?? 1_799_000_000_000 + moment++ * 1000);
  const terms = { operationType, state, createdAt, updatedAt: createdAt };
  return createClaim(features.deps.pool, caller, { txHash: hex(tx), ...terms });
}

const operation = (op: number, tx: number, row: Row<"cashOperation"> = {}) =>
  onchain.insert("cashOperation", {
    ...ids.scope,
    opId: hex(0xabc000 + op),
    kind: "deposit",
    userAddress: ALICE,
    tokenAddress: usdc,
    tokenAmount: 100_000_000n,
    status: "processing",
    txHash: hex(tx),
    logIndex: op,
    createdAt: 1_799_500_000n,
    updatedAt: 1_799_500_000n,
    ...row,
  });
const listOperations = projected(verbs.listOperations);
const getOperation = projected(verbs.getOperation);
const list = async (caller: Caller, args: Args = {}) =>
  (await listOperations(features.deps, caller, "deposit", args)).data;
const get = (caller: Caller, op: number) =>
  getOperation(features.deps, caller, "deposit", { operationId: hex(0xabc000 + op) });

describe("a deposit", () => {
  it("that is instant is completed, in list and detail alike", async () => {
    const claimId = await claim(mine, 1, "deposit", "pending", 1_799_000_000_000);
    await operation(1, 1, {
      status: "completed",
      isInstant: true,
      wadAmount: parseEther("99.7"),
      usdRate: 1_000_000n,
      settleTxHash: hex(1),
      settledAt: 1_799_500_000n,
    });
    const { data, block } = await get(mine, 1);
    expect(block.number).toBeGreaterThan(0n);
    expect(data).toEqual({
      operationId: hex(0xabc001),
      txHash: hex(1),
      mappingStatus: "indexed",
      operationStatus: "completed",
      mapping: {
        mappingId: claimId,
        chainId: 31337,
        productType: PRODUCT,
        operationType: "deposit",
        txHash: hex(1),
        userAddress: getAddress(ALICE),
        orderId: null,
        operationId: hex(0xabc001),
        clientOrderId: null,
        mappingStatus: "indexed",
        source: "recorded",
        createdAt: 1_799_000_000,
      },
      depositOperation: {
        operationId: hex(0xabc001),
        userAddress: getAddress(ALICE),
        tokenAddress: getAddress(usdc),
        tokenSymbol: product.deployment.cashTokens[0]?.symbol,
        status: "completed",
        isInstant: true,
        amount: "100",
        creditAmount: "99.7",
        feeAmount: "0.3",
        createTxHash: hex(1),
        settleTxHash: hex(1),
        failReason: null,
        createdAt: 1_799_500_000,
        settledAt: 1_799_500_000,
      },
      withdrawalOperation: null,
    });
    expect(await list(mine)).toEqual({ total: 1, totalExact: true, rows: [data], nextCursor: null });
  });

  it("costs what it cost, whatever the token's rate is by now", async () => {
    await claim(mine, 1);
    await operation(1, 1, { status: "completed", wadAmount: parseEther("109"), usdRate: 1_100_000n });
    const feeAmount = async () => (await get(mine, 1)).data.depositOperation?.feeAmount;
    expect(await feeAmount()).toBe("1");
    await onchain.update("cashToken", { ...ids.scope, tokenAddress: usdc }, { usdRate: 900_000n });
    expect(await feeAmount()).toBe("1");
  });

  it("that is queued is processing, and then completed or failed", async () => {
    await claim(mine, 1);
    await operation(1, 1);
    expect((await get(mine, 1)).data).toMatchObject({
      operationStatus: "processing",
      depositOperation: {
        isInstant: false,
        creditAmount: null,
        feeAmount: null,
        settleTxHash: null,
        settledAt: null,
        failReason: null,
      },
    });
    const end = { settleTxHash: hex(9), settledAt: 1_799_600_000n };
    await onchain.update("cashOperation", { txHash: hex(1) }, { ...end, status: "failed", rejectReason: 4 });
    expect((await get(mine, 1)).data).toMatchObject({
      operationStatus: "failed",
      depositOperation: {
        status: "failed",
        failReason: "Rejected by the cash desk, reason 4",
        creditAmount: null,
        settledAt: 1_799_600_000,
      },
    });
  });

  it.each<[ClaimState, string, string]>([
    ["pending", "pending", "pending"],
    ["final", "pending", "pending"],
    ["reverted", "reverted", "failed"],
  ])("whose claim is %s and that is not indexed is %s, %s", async (state, mappingStatus, operationStatus) => {
    await claim(mine, 1, "deposit", state);
    expect((await list(mine)).rows).toMatchObject([
      {
        operationId: null,
        mappingStatus,
        operationStatus,
        depositOperation: null,
        mapping: { mappingStatus, txHash: hex(1) },
      },
    ]);
  });

  it("of a combined call is listed under the mapping of its order, which alone owns it", async () => {
    const claimId = await claim(mine, 1, "trade");
    await claim(other, 1, "deposit");
    const orderId = hex(0x0de5);
    const terms = { stockAddress: usdc, side: "Buy", orderType: "Limit", status: "open" } as const;
    await onchain.insert("stockOrder", {
      ...ids.scope,
      ...terms,
      orderId: hex(0x0de4),
      txHash: hex(1),
      logIndex: 3,
      userAddress: ALICE,
    });
    await onchain.insert("stockOrder", {
      ...ids.scope,
      ...terms,
      orderId,
      txHash: hex(1),
      logIndex: 8,
      userAddress: ALICE,
      depositOpId: hex(0xabc005),
    });
    await operation(5, 1, { orderId, isInstant: true, status: "completed", wadAmount: parseEther("100") });
    expect((await get(mine, 5)).data.mapping).toMatchObject({
      mappingId: `${claimId}.1`,
      operationType: "trade",
      orderId,
      operationId: hex(0xabc005),
    });
    expect((await list(mine)).rows).toHaveLength(1);
    await expectRefusal(get(other, 5), "OPERATION_NOT_FOUND");
    // The other key claims a deposit of its own, which is not indexed yet.
    expect((await list(other)).rows).toMatchObject([{ operationId: null, operationStatus: "pending" }]);
  });
});

describe("ownership", () => {
  it("is the first key's that recorded it, and no one's before", async () => {
    await operation(1, 1);
    await expectRefusal(get(mine, 1), "OPERATION_NOT_FOUND");
    await claim(mine, 1);
    await claim(other, 1);
    expect((await get(mine, 1)).data.operationId).toBe(hex(0xabc001));
    await expectRefusal(get(other, 1), "OPERATION_NOT_FOUND");
    expect((await list(other)).rows).toEqual([]);
    expect(
      (await listOperations(features.deps, { ...ids.scope, keyId: null }, "deposit", {})).data.rows,
    ).toHaveLength(1);
  });

  it("is void for a key that is bound to another user", async () => {
    const bound = await features.makeCaller({ userAddress: BOB });
    await claim(bound, 1);
    await claim(mine, 1);
    await operation(1, 1);
    await operation(2, 1, { userAddress: BOB });
    expect((await list(bound)).rows.map(({ operationId }) => operationId)).toEqual([hex(0xabc002)]);
    expect((await list(mine)).rows.map(({ operationId }) => operationId)).toEqual([hex(0xabc001)]);
  });

  it("stays within product and kind", async () => {
    const second = await features.makeCaller({ productType: "Second" });
    await claim(second, 1);
    await claim(mine, 1);
    await operation(1, 1);
    await expectRefusal(get(second, 1), "OPERATION_NOT_FOUND");
    await expectRefusal(
      getOperation(features.deps, mine, "withdraw", { operationId: hex(0xabc001) }),
      "OPERATION_NOT_FOUND",
    );
    expect((await listOperations(features.deps, mine, "withdraw", {})).data.rows).toEqual([]);
  });
});

describe("lists", () => {
  beforeEach(async () => {
    for (const [index, status] of (["completed", "processing", "failed"] as const).entries()) {
      await claim(mine, index, "deposit", "pending", 1_799_000_000_000 + index * 1000);
      await operation(index, index, {
        status,
        tokenAddress: index === 1 ? dai : usdc,
        userAddress: index === 2 ? BOB : ALICE,
        updatedAt: BigInt(1_799_500_000 + index),
      });
    }
    await claim(mine, 3, "deposit", "pending", 1_799_000_003_000);
    await claim(mine, 4, "deposit", "reverted", 1_799_000_004_000);
    await claim(mine, 5, "deposit", "dropped", 1_799_000_005_000);
    await claim(mine, 6, "trade", "pending", 1_799_000_006_000);
    await claim(mine, 7, "withdraw", "pending", 1_799_000_007_000);
  });

  it.each<[() => Args, number[]]>([
    [() => ({}), [4, 3, 2, 1, 0]],
    [() => ({ status: "pending" }), [3]],
    [() => ({ status: "processing" }), [1]],
    [() => ({ status: "completed" }), [0]],
    [() => ({ status: "failed" }), [4, 2]],
    [() => ({ status: "canceled" }), []],
    [() => ({ tokenAddress: dai }), [1]],
    [() => ({ userAddress: BOB }), [2]],
    [() => ({ txHash: hex(3) }), [3]],
    [() => ({ from: "1799000001", to: "1799000003" }), [3, 2, 1]],
    [() => ({ updatedAfter: "1799500000" }), [2, 1]],
  ])("filter %#", async (args, expected) => {
    const { rows, total } = await list(mine, args());
    expect(rows.map(({ mapping }) => mapping.txHash)).toEqual(expected.map(hex));
    expect(total).toBe(expected.length);
  });

  it("page by cursor", async () => {
    const first = await list(mine, { limit: "2" });
    const second = await list(mine, { limit: "2", cursor: first.nextCursor });
    const third = await list(mine, { limit: "2", cursor: second.nextCursor });
    expect([...first.rows, ...second.rows, ...third.rows].map(({ mapping }) => mapping.txHash)).toEqual(
      [4, 3, 2, 1, 0].map(hex),
    );
    expect(third.nextCursor).toBeNull();
  });

  it.each<[Args, string]>([
    [{ status: "Completed" }, "status"],
    [{ tokenAddress: "0x1" }, "tokenAddress"],
    [{ page: "0" }, "page"],
    [{ cursor: "abc" }, "cursor"],
  ])("refuse %j", async (args, param) => {
    await expectRefusal(list(mine, args), "VALIDATION_FAILED", param);
  });

  it("refuse an id that is none", async () => {
    await expectRefusal(
      getOperation(features.deps, mine, "deposit", { operationId: "1" }),
      "VALIDATION_FAILED",
      "operationId",
    );
    await expectRefusal(get(mine, 99), "OPERATION_NOT_FOUND");
  });
});
