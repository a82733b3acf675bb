import { type Hex, keccak256, parseTransaction, stringToHex, type TransactionSerialized } from "viem";

/** A block as JSON-RPC has it. */
export interface RpcBlock {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  transactions: unknown[];
  [field: string]: unknown;
}

interface StubTransaction {
  hash: Hex;
  nonce: number;
  /** The fields of JSON-RPC, without those of its block. */
  fields: Record<string, unknown>;
}

export interface StubChain {
  readonly head: RpcBlock;
  /** Transactions of the account that are in blocks. */
  readonly mined: number;
  /** Takes signed bytes; returns their hash, or null where they are not of the account: neither to the router nor to itself. */
  take(bytes: Hex): Hex | null;
  /** Makes a block of the transactions whose nonces follow. */
  mine(unixSeconds: number): void;
  block(by: { number: bigint } | { hash: Hex }, full: boolean): RpcBlock | null;
  transaction(hash: Hex): Record<string, unknown> | null;
  receipt(hash: Hex): Record<string, unknown> | null;
}

export interface StubAccount {
  address: Hex;
  router: Hex;
  nonce: number;
}

const GAS_USED = 200_000n;
const toHex = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/**
 * Goes on from a block with blocks of its own, which hold every transaction of one account that it is given. It executes
 * nothing: every receipt is a success without logs, and no state changes.
 */
export function createStubChain(base: RpcBlock, account: StubAccount): StubChain {
  const blocks: RpcBlock[] = [base];
  const byHash = new Map<string, RpcBlock>([[base.hash, base]]);
  const pending = new Map<number, StubTransaction>();
  const included = new Map<Hex, { transaction: StubTransaction; block: RpcBlock; index: number }>();
  const firstNumber = BigInt(base.number);
  let mined = account.nonce;
  const head = (): RpcBlock => blocks.at(-1) ?? base;

  function placed(hash: Hex) {
    const found = included.get(hash);
    if (!found) return null;
    const { transaction, block, index } = found;
    const place = { blockHash: block.hash, blockNumber: block.number, transactionIndex: toHex(index) };
    return { transaction, place };
  }

  function transaction(hash: Hex) {
    const found = placed(hash);
    return found && { ...found.transaction.fields, ...found.place };
  }

  return {
    get head() {
      return head();
    },
    get mined() {
      return mined;
    },
    take: (bytes) => {
      const parsed = parseTransaction(bytes as TransactionSerialized);
      const to = parsed.to?.toLowerCase();
      if (to !== account.router && to !== account.address) return null;
      const hash = keccak256(bytes);
      const nonce = parsed.nonce ?? 0;
      const fields = {
        hash,
        from: account.address,
        to,
        nonce: toHex(nonce),
        input: parsed.data ?? "0x",
        value: toHex(parsed.value ?? 0n),
        gas: toHex(parsed.gas ?? 0n),
        type: "0x2",
        accessList: [],
        chainId: toHex(parsed.chainId ?? 0),
        r: parsed.r,
        s: parsed.s,
        v: toHex(parsed.yParity ?? 0),
        maxFeePerGas: toHex(parsed.maxFeePerGas ?? 0n),
        maxPriorityFeePerGas: toHex(parsed.maxPriorityFeePerGas ?? 0n),
        gasPrice: toHex(parsed.maxFeePerGas ?? 0n),
      };
      if (nonce >= mined) pending.set(nonce, { hash, nonce, fields });
      return hash;
    },
    mine: (unixSeconds) => {
      const parent = head();
      const number = BigInt(parent.number) + 1n;
      const hash = keccak256(stringToHex(`${parent.hash}/${number}`));
      const transactions: Hex[] = [];
      const timestamp = toHex(Math.max(unixSeconds, Number(parent.timestamp) + 1));
      const block: RpcBlock = {
        ...base,
        number: toHex(number),
        hash,
        parentHash: parent.hash,
        timestamp,
        transactions,
        logsBloom: `0x${"0".repeat(512)}`,
        gasUsed: "0x0",
      };
      for (let next = pending.get(mined); next; next = pending.get(mined)) {
        included.set(next.hash, { transaction: next, block, index: transactions.length });
        transactions.push(next.hash);
        pending.delete(mined++);
      }
      blocks.push(block);
      byHash.set(hash, block);
    },
    block: (by, full) => {
      const found = "hash" in by ? byHash.get(by.hash) : blocks[Number(by.number - firstNumber)];
      if (!found || !full || found === base) return found ?? null;
      return { ...found, transactions: (found.transactions as Hex[]).map(transaction) };
    },
    transaction,
    receipt: (hash) => {
      const found = placed(hash);
      if (!found) return null;
      const { from, to, gasPrice } = found.transaction.fields;
      return {
        ...found.place,
        transactionHash: hash,
        from,
        to,
        contractAddress: null,
        logs: [],
        status: "0x1",
        type: "0x2",
        logsBloom: `0x${"0".repeat(512)}`,
        gasUsed: toHex(GAS_USED),
        effectiveGasPrice: gasPrice,
        cumulativeGasUsed: toHex(GAS_USED),
      };
    },
  };
}
