import {
  type Address,
  BaseError,
  createPublicClient,
  defineChain,
  type Hex,
  http,
  keccak256,
  type LocalAccount,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { decodeRevert } from "../../../src/contracts/reverts.ts";

/**
 * Sends many transactions of one account at a time: signed together, sent together, receipts awaited together. Works with any
 * mining mode, and needs no estimate: gas is free on a development chain.
 */
/** Fees that a development chain takes. */
export const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const RECEIPT_TIMEOUT_MS = 60_000;
const RECEIPT_POLL_MS = 25;
const RECEIPTS_AT_ONCE = 250;

export interface Step {
  /** Names the step in errors. */
  name: string;
  /** Null creates a contract. */
  to: Address | null;
  data?: Hex;
  /** Wei. */
  value?: bigint;
  gas: bigint;
}

/** Returns a client of a development chain. */
export function connect(rpcUrl: string, chainId: number): PublicClient {
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const transport = http(rpcUrl, { batch: { batchSize: 500, wait: 0 }, timeout: 60_000 });
  return createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 });
}

/**
 * Sends all steps in this order and waits until all are mined.
 * @throws Error naming the first step that reverted, with the decoded error, or that was not mined within 60 s.
 */
export async function sendAll(
  client: PublicClient,
  account: LocalAccount,
  steps: readonly Step[],
): Promise<TransactionReceipt[]> {
  const [chainId, nonce] = await Promise.all([
    client.getChainId(),
    client.getTransactionCount({ address: account.address, blockTag: "pending" }),
  ]);
  const signed = await Promise.all(
    steps.map(({ name: _name, ...step }, index) =>
      account.signTransaction({ ...step, ...FEES, type: "eip1559", chainId, nonce: nonce + index }),
    ),
  );
  const hashes = await broadcastAll(client, signed);
  const receipts = await receiptsOf(client, hashes);
  for (const [index, receipt] of receipts.entries()) {
    const step = steps[index];
    if (step && receipt.status === "reverted") throw await failure(client, account, step, receipt);
  }
  return receipts;
}

/**
 * Sends the first one last: all others wait for it in the pool and are ready together. Anvil may lose some that are sent while
 * earlier ones are being mined (see pool.ts).
 */
async function broadcastAll(client: PublicClient, [first, ...others]: readonly Hex[]): Promise<Hex[]> {
  if (first === undefined) return [];
  const hashes = await Promise.all(others.map((one) => broadcast(client, one)));
  return [await broadcast(client, first), ...hashes];
}

/** Anvil's answer to a repeated request whose reply was lost: the transaction is taken. */
const TAKEN = /already (imported|known)/i;

async function broadcast(client: PublicClient, serializedTransaction: Hex): Promise<Hex> {
  try {
    return await client.sendRawTransaction({ serializedTransaction });
  } catch (error) {
    if (error instanceof BaseError && TAKEN.test(error.details)) return keccak256(serializedTransaction);
    throw error;
  }
}

async function receiptsOf(client: PublicClient, hashes: readonly Hex[]): Promise<TransactionReceipt[]> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS;
  const receipts: TransactionReceipt[] = [];
  // In order, as they are mined, so that no receipt is read twice.
  while (receipts.length < hashes.length) {
    const next = hashes.slice(receipts.length, receipts.length + RECEIPTS_AT_ONCE);
    const found = await Promise.all(next.map((hash) => receiptOf(client, hash)));
    const missing = found.indexOf(null);
    for (const receipt of missing < 0 ? found : found.slice(0, missing)) if (receipt) receipts.push(receipt);
    if (missing < 0) continue;
    if (Date.now() > deadline) {
      throw new Error(`${hashes.length - receipts.length} transactions are not mined`);
    }
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS));
  }
  return receipts;
}

async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** Returns the reason of a mined step's revert: replays it on the state of the block before, at its own block's time. */
async function failure(
  client: PublicClient,
  account: LocalAccount,
  step: Step,
  receipt: TransactionReceipt,
): Promise<Error> {
  const { to, data, value, gas } = step;
  const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber });
  const revert = await client
    .call({
      account: account.address,
      to,
      data,
      value,
      gas,
      blockNumber: receipt.blockNumber - 1n,
      blockOverrides: { number: receipt.blockNumber, time: timestamp },
    })
    .then(() => null, decodeRevert);
  const why = revert ? `${revert.name}(${revert.args.join(", ")})` : `gas used ${receipt.gasUsed} of ${gas}`;
  return new Error(`${step.name} reverted: ${why}`);
}
