import { type Hex, isAddressEqual } from "viem";
import { z } from "zod";
import { cashierAbi } from "../../../../src/contracts/abi/index.ts";
import { WAD_DECIMALS } from "../../../../src/protocol/decimal.ts";
import type { Book, QueuedOperation } from "../settler/book.ts";
import {
  failOperation,
  setCreditBuffer,
  setTokenPaused,
  setTradable,
  setWithdrawBuffer,
} from "../settler/calls.ts";
import { type Desk, requireMining } from "../settler/desk.ts";
import { withdrawBufferOf } from "../settler/treasury.ts";
import { settle, settlementOf } from "../settler/work.ts";
import { type ControlContext, ControlError, deskOf, desksWithToken } from "./context.ts";
import { address, baseUnits, chainId, decimal, flag, hash, reason, wad } from "./fields.ts";
import { REASON_SCRIPTED } from "./orders.ts";
import { route } from "./route.ts";

const operationParams = z.strictObject({ operationId: hash });
const tokenParams = z.strictObject({ address });
const buffersBody = z
  .strictObject({
    chainId,
    creditBuffer: wad.optional(),
    creditBufferCapacity: wad.optional(),
    token: address.optional(),
    withdrawBuffer: decimal.optional(),
    withdrawBufferCapacity: decimal.optional(),
    release: flag.optional(),
  })
  .refine(
    ({ token, withdrawBuffer, withdrawBufferCapacity }) =>
      token !== undefined || (withdrawBuffer === undefined && withdrawBufferCapacity === undefined),
    { path: ["token"], message: "is required with a withdraw buffer" },
  );

export const cashRoutes = [
  route({
    method: "POST",
    path: "/operations/:operationId/settle",
    does: "Settles a queued deposit (amount: mUSD credited) or withdrawal (amount: tokens paid).",
    params: operationParams,
    body: z.strictObject({ amount: decimal.optional() }),
    run: (context, { operationId }, { amount }) =>
      onOperation(context, operationId, async (desk, operation, book) => {
        const units = amount === undefined ? undefined : unitsOf(desk, operation, amount);
        return settle(desk, book, operation, units ?? (await settlementOf(desk, operation)));
      }),
  }),
  route({
    method: "POST",
    path: "/operations/:operationId/fail",
    does: "Fails a queued deposit (the tokens go back) or withdrawal (the mUSD goes back).",
    params: operationParams,
    body: z.strictObject({ reason: reason.optional() }),
    run: (context, { operationId }, body) =>
      onOperation(context, operationId, (desk, operation) =>
        desk.send(failOperation(desk.deployment, operation, body.reason ?? REASON_SCRIPTED)),
      ),
  }),
  route({
    method: "POST",
    path: "/buffers",
    does: "Sets buffers (mUSD; whole tokens) and keeps the settler from refilling them, until release is true.",
    params: z.strictObject({}),
    body: buffersBody,
    run: (context, _params, body) => {
      const desk = deskOf(context, body.chainId);
      return desk.exclusive(() => setBuffers(desk, body));
    },
  }),
  route({
    method: "POST",
    path: "/tokens/:address/pause",
    does: "Pauses (true) or reopens (false) deposits and withdrawals of a cash token; on all chains by default.",
    params: tokenParams,
    body: z.strictObject({
      chainId: chainId.optional(),
      deposit: flag.optional(),
      withdraw: flag.optional(),
    }),
    run: async (context, { address: token }, body) => {
      const desks = desksWithToken(context, "cashTokens", token, body.chainId);
      requireMining(desks);
      return Promise.all(desks.map((desk) => desk.exclusive(() => pause(desk, token, body))));
    },
  }),
  route({
    method: "POST",
    path: "/tokens/:address/tradable",
    does: "Opens (true) or closes (false) a stock token for new orders; on all chains by default.",
    params: tokenParams,
    body: z.strictObject({ chainId: chainId.optional(), tradable: flag }),
    run: async (context, { address: token }, { chainId: wanted, tradable }) => {
      const desks = desksWithToken(context, "stockTokens", token, wanted);
      requireMining(desks);
      return Promise.all(
        desks.map((desk) =>
          desk.exclusive(async () => {
            const [txHash] = await desk.send(setTradable(desk.deployment, token, tradable));
            return { chainId: desk.deployment.chainId, tradable, txHash };
          }),
        ),
      );
    },
  }),
];

function unitsOf({ deployment }: Desk, { kind, token }: QueuedOperation, amount: string): bigint {
  if (kind === "deposit") return baseUnits(amount, WAD_DECIMALS, "amount");
  return baseUnits(amount, decimalsOf(deployment, token), "amount");
}

function decimalsOf({ cashTokens }: Desk["deployment"], token: Hex): number {
  const found = cashTokens.find((candidate) => isAddressEqual(candidate.address, token));
  if (found) return found.decimals;
  throw new ControlError(404, `${token} is none of the cash tokens`);
}

async function onOperation(
  { desks }: ControlContext,
  operationId: Hex,
  work: (desk: Desk, operation: QueuedOperation, book: Book) => Promise<Hex[]>,
) {
  for (const desk of desks.values()) {
    const transactions = await desk.exclusive(async (book) => {
      const operation = book.operations.get(operationId);
      return operation && (await work(desk, operation, book));
    });
    if (transactions) return { chainId: desk.deployment.chainId, operationId, txHash: transactions.at(-1) };
  }
  throw new ControlError(404, `there is no queued operation ${operationId}`);
}

async function setBuffers(desk: Desk, body: z.output<typeof buffersBody>) {
  const { client, deployment, scripted } = desk;
  const { creditBuffer, creditBufferCapacity, token } = body;
  const touchesCredit = creditBuffer !== undefined || creditBufferCapacity !== undefined;
  const cashier = { address: deployment.cashier, abi: cashierAbi } as const;
  if (touchesCredit) {
    const buffer =
      creditBuffer ?? (await client.readContract({ ...cashier, functionName: "creditBufferWad" }));
    const capacity =
      creditBufferCapacity ??
      (await client.readContract({ ...cashier, functionName: "creditBufferWadCapacity" }));
    await desk.send(setCreditBuffer(deployment, buffer, capacity));
  }
  if (token !== undefined) await setTokenBuffer(desk, token, body);
  const touched = [...(touchesCredit ? ["credit"] : []), ...(token === undefined ? [] : [token])];
  for (const buffer of touched) scripted.add(buffer);
  if (body.release) {
    for (const buffer of touched.length > 0 ? touched : [...scripted]) scripted.delete(buffer);
  }
  return { chainId: deployment.chainId, scripted: [...scripted] };
}

async function setTokenBuffer(desk: Desk, token: Hex, body: z.output<typeof buffersBody>): Promise<void> {
  const decimals = decimalsOf(desk.deployment, token);
  const { withdrawBuffer, withdrawBufferCapacity } = body;
  if (withdrawBuffer === undefined && withdrawBufferCapacity === undefined) return;
  const current = await withdrawBufferOf(desk, token);
  const buffer =
    withdrawBuffer === undefined ? current.buffer : baseUnits(withdrawBuffer, decimals, "withdrawBuffer");
  const capacity =
    withdrawBufferCapacity === undefined
      ? current.capacity
      : baseUnits(withdrawBufferCapacity, decimals, "withdrawBufferCapacity");
  await desk.send(setWithdrawBuffer(desk.deployment, token, buffer, capacity));
}

async function pause(desk: Desk, token: Hex, wanted: { deposit?: boolean; withdraw?: boolean }) {
  const [, , depositPaused, withdrawPaused] = await desk.client.readContract({
    address: desk.deployment.cashier,
    abi: cashierAbi,
    functionName: "tokenConfig",
    args: [token],
  });
  const paused = { deposit: wanted.deposit ?? depositPaused, withdraw: wanted.withdraw ?? withdrawPaused };
  const [txHash] = await desk.send(setTokenPaused(desk.deployment, token, paused));
  return { chainId: desk.deployment.chainId, ...paused, txHash };
}
