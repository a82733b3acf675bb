// Cashier: the mUSD ledger, cash deposits and withdrawals, and the limits of cash tokens.
import type { Context } from "ponder:registry";
import { cashierState, cashOperation, cashToken } from "ponder:schema";
import type { Hex } from "viem";
import type { ProductId } from "../../src/protocol/shapes.ts";
import { type Account, moveAvailable, moveByCause } from "./activity.ts";
import { ponder } from "./registry.ts";
import { type ChainEvent, createdFields, endedFields, productOf, recordAttribution } from "./store.ts";

type OperationRow = typeof cashOperation.$inferInsert;

const accountOf = (event: ChainEvent, user: Hex): Account => ({
  product: productOf("cashier", event),
  user,
  stock: null,
});

ponder.on("Cashier:BalanceCredited", async ({ event, context }) => {
  const { user, amountWad } = event.args;
  await moveAvailable(event, context, accountOf(event, user), amountWad);
});

ponder.on("Cashier:BalanceDeducted", async ({ event, context }) => {
  const { user, amountWad } = event.args;
  await moveAvailable(event, context, accountOf(event, user), -amountWad);
});

ponder.on("Cashier:DepositRequested", async ({ event, context }) => {
  await beginOperation(event, context, {
    ...event.args,
    kind: "deposit",
    status: "processing",
    isInstant: false,
    tokenAmount: event.args.amount,
  });
});

ponder.on("Cashier:InstantDeposit", async ({ event, context }) => {
  const { amount, creditWad } = event.args;
  await beginOperation(event, context, {
    ...event.args,
    kind: "deposit",
    status: "completed",
    isInstant: true,
    tokenAmount: amount,
    wadAmount: creditWad,
  });
});

ponder.on("Cashier:WithdrawalRequested", async ({ event, context }) => {
  await beginOperation(event, context, {
    ...event.args,
    kind: "withdraw",
    status: "processing",
    isInstant: false,
    wadAmount: event.args.amountWad,
  });
});

ponder.on("Cashier:InstantWithdrawal", async ({ event, context }) => {
  const { amount, amountWad } = event.args;
  await beginOperation(event, context, {
    ...event.args,
    kind: "withdraw",
    status: "completed",
    isInstant: true,
    tokenAmount: amount,
    wadAmount: amountWad,
  });
});

interface Beginning
  extends Pick<OperationRow, "kind" | "status" | "isInstant" | "tokenAmount" | "wadAmount"> {
  opId: Hex;
  user: Hex;
  token: Hex;
}

async function beginOperation(event: ChainEvent, context: Context, beginning: Beginning) {
  const product = productOf("cashier", event);
  const { opId, user, token, kind, status, isInstant, tokenAmount, wadAmount } = beginning;
  await context.db.insert(cashOperation).values({
    ...product,
    ...createdFields(event),
    ...(isInstant ? endedFields(event) : {}),
    opId,
    kind,
    userAddress: user,
    tokenAddress: token,
    tokenAmount,
    wadAmount,
    isInstant,
    status,
    usdRate: status === "completed" ? await rateOf(context, product, token) : null,
  });
  // A queued deposit has credited nothing yet; a queued withdrawal has deducted its mUSD.
  const amount = wadAmount ?? 0n;
  const delta = kind === "deposit" ? amount : -amount;
  await moveByCause(event, context, accountOf(event, user), { kind, causeId: opId, delta });
  await recordAttribution(context.db, product, event);
}

ponder.on("Cashier:DepositSettled", async ({ event, context }) => {
  const { opId, user, creditWad } = event.args;
  await completeOperation(event, context, opId, { wadAmount: creditWad });
  const cause = { kind: "deposit", causeId: opId, delta: creditWad } as const;
  await moveByCause(event, context, accountOf(event, user), cause);
});

ponder.on("Cashier:WithdrawalSettled", async ({ event, context }) => {
  const { opId, amount } = event.args;
  await completeOperation(event, context, opId, { tokenAmount: amount });
});

ponder.on("Cashier:DepositRejected", async ({ event, context }) => {
  const { opId, reason } = event.args;
  await failOperation(event, context, opId, reason);
});

ponder.on("Cashier:WithdrawalRejected", async ({ event, context }) => {
  const { opId, user, amount, reason } = event.args;
  await failOperation(event, context, opId, reason);
  const cause = { kind: "withdraw-rejected", causeId: opId, delta: amount } as const;
  await moveByCause(event, context, accountOf(event, user), cause);
});

async function completeOperation(
  event: ChainEvent,
  context: Context,
  opId: Hex,
  moved: Partial<Pick<OperationRow, "tokenAmount" | "wadAmount">>,
) {
  const product = productOf("cashier", event);
  const operation = await context.db.find(cashOperation, { ...product, opId });
  const usdRate = operation && (await rateOf(context, product, operation.tokenAddress));
  await context.db
    .update(cashOperation, { ...product, opId })
    .set({ ...moved, usdRate, status: "completed", ...endedFields(event) });
}

async function failOperation(event: ChainEvent, context: Context, opId: Hex, rejectReason: number) {
  const product = productOf("cashier", event);
  await context.db
    .update(cashOperation, { ...product, opId })
    .set({ rejectReason, status: "failed", ...endedFields(event) });
}

/** Returns a token's rate by the events so far, or null where none set it. */
async function rateOf(context: Context, product: ProductId, tokenAddress: Hex): Promise<bigint | null> {
  const token = await context.db.find(cashToken, { ...product, tokenAddress });
  return token?.usdRate || null;
}

ponder.on("Cashier:CreditBufferWadUpdated", async ({ event, context }) => {
  await setState(event, context, { creditBuffer: event.args.creditBufferWad });
});

ponder.on("Cashier:CreditBufferCapacityWadUpdated", async ({ event, context }) => {
  await setState(event, context, { creditBufferCapacity: event.args.creditBufferCapacityWad });
});

async function setState(
  event: ChainEvent,
  context: Context,
  change: { creditBuffer?: bigint; creditBufferCapacity?: bigint },
) {
  await context.db
    .insert(cashierState)
    .values({
      creditBuffer: 0n,
      creditBufferCapacity: 0n,
      ...change,
      ...productOf("cashier", event),
    })
    .onConflictDoUpdate(change);
}

ponder.on("Cashier:TokenSupportUpdated", async ({ event, context }) => {
  await setToken(event, context, event.args.token, { supported: event.args.supported });
});

ponder.on("Cashier:TokenConfigUpdated", async ({ event, context }) => {
  const { minAmount, usdRate, ...config } = event.args.config;
  await setToken(event, context, event.args.token, {
    ...config,
    minAmount: BigInt(minAmount),
    usdRate: BigInt(usdRate),
  });
});

ponder.on("Cashier:WithdrawBufferUpdated", async ({ event, context }) => {
  await setToken(event, context, event.args.token, { withdrawBuffer: event.args.withdrawBuffer });
});

/** Values of a token before its events: any of them may come first. */
const UNCONFIGURED = {
  supported: false,
  decimals: 0,
  minAmount: 0n,
  usdRate: 0n,
  depositPaused: true,
  withdrawPaused: true,
  withdrawBuffer: 0n,
  withdrawBufferCapacity: 0n,
  depositFeeBps: 0,
  withdrawFeeBps: 0,
};

async function setToken(
  event: ChainEvent,
  context: Context,
  tokenAddress: Hex,
  change: Partial<typeof UNCONFIGURED>,
) {
  const product = productOf("cashier", event);
  await context.db
    .insert(cashToken)
    .values({ ...UNCONFIGURED, ...change, ...product, tokenAddress, listedAt: event.block.timestamp })
    .onConflictDoUpdate(change);
}
