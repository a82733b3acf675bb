import { type Address, isAddressEqual } from "viem";
import { cashierAbi, cashTokenAbi } from "../../../../src/contracts/abi/index.ts";
import { WAD } from "../../../../src/protocol/decimal.ts";
import type { Book } from "./book.ts";
import { brokerDeposit, setCreditBuffer, setWithdrawBuffer } from "./calls.ts";
import { type Desk, lower } from "./desk.ts";

/** Below the first amount of its own mUSD, from which it pays sellers, the broker deposits the second, in wad. */
const BROKER_MIN_WAD = 1_000_000n * WAD;
const BROKER_REFILL = 10_000_000n;

/** Returns true where a buffer is so empty or so full that instant operations are about to stop. */
export function needsBalance(buffer: bigint, capacity: bigint): boolean {
  return capacity > 0n && (buffer * 10n < capacity || buffer * 10n > capacity * 9n);
}

/**
 * Balances the buffers of instant cash: moves nearly empty or full ones back to the middle, as far as Cashier holds tokens for
 * that, and tops up the broker's own mUSD. Leaves alone a buffer that a script has set. Runs inside `desk.exclusive`.
 */
export async function balanceBuffers(desk: Desk, book: Book): Promise<void> {
  await refillBroker(desk);
  if (!desk.scripted.has("credit")) await balanceCredit(desk);
  for (const { address } of desk.deployment.cashTokens) {
    if (!desk.scripted.has(lower(address))) await balanceToken(desk, book, address);
  }
}

async function refillBroker(desk: Desk): Promise<void> {
  const { client, deployment, broker } = desk;
  const balance = await client.readContract({
    address: deployment.cashier,
    abi: cashierAbi,
    functionName: "balanceWad",
    args: [broker],
  });
  const [token] = deployment.cashTokens;
  if (balance >= BROKER_MIN_WAD || !token) return;
  desk.log.info({ balance: `${balance}` }, "the broker brings cash for sellers");
  await desk.send(
    ...brokerDeposit(deployment, broker, token.address, BROKER_REFILL * 10n ** BigInt(token.decimals)),
  );
}

async function balanceCredit(desk: Desk): Promise<void> {
  const { client, deployment } = desk;
  const cashier = { address: deployment.cashier, abi: cashierAbi } as const;
  const [buffer, capacity] = await Promise.all([
    client.readContract({ ...cashier, functionName: "creditBufferWad" }),
    client.readContract({ ...cashier, functionName: "creditBufferWadCapacity" }),
  ]);
  if (!needsBalance(buffer, capacity)) return;
  desk.log.info({ buffer: `${buffer}` }, "the credit buffer goes back to the middle");
  await desk.send(setCreditBuffer(deployment, capacity / 2n, capacity));
}

async function balanceToken(desk: Desk, book: Book, token: Address): Promise<void> {
  const { buffer, capacity } = await withdrawBufferOf(desk, token);
  if (!needsBalance(buffer, capacity)) return;
  const free = await freeTokens(desk, book, token);
  const target = free < capacity / 2n ? free : capacity / 2n;
  if (target === buffer) return;
  desk.log.info({ token, buffer: `${buffer}`, target: `${target}` }, "a withdraw buffer is balanced");
  await desk.send(setWithdrawBuffer(desk.deployment, token, target, capacity));
}

/** Both in token base units. */
export async function withdrawBufferOf(
  { client, deployment }: Desk,
  token: Address,
): Promise<{ buffer: bigint; capacity: bigint }> {
  const config = await client.readContract({
    address: deployment.cashier,
    abi: cashierAbi,
    functionName: "tokenConfig",
    args: [token],
  });
  return { buffer: config[5], capacity: config[6] };
}

/** Returns the amount that Cashier may pay out: the tokens of queued deposits are not its own yet. */
async function freeTokens({ client, deployment }: Desk, book: Book, token: Address): Promise<bigint> {
  const held = await client.readContract({
    address: token,
    abi: cashTokenAbi,
    functionName: "balanceOf",
    args: [deployment.cashier],
  });
  const queued = [...book.operations.values()]
    .filter((operation) => operation.kind === "deposit" && isAddressEqual(operation.token, token))
    .reduce((sum, { amount }) => sum + amount, 0n);
  return held - queued;
}

/** Deposits `amount` (token base units) as the broker, where Cashier can pay out less. */
export async function bringCash(desk: Desk, book: Book, token: Address, amount: bigint): Promise<void> {
  if ((await freeTokens(desk, book, token)) >= amount) return;
  desk.log.info({ token, amount: `${amount}` }, "the broker brings cash for a withdrawal");
  await desk.send(...brokerDeposit(desk.deployment, desk.broker, token, amount));
}
