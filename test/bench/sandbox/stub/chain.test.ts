import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createStubChain, type RpcBlock } from "./chain.ts";

const wallet = privateKeyToAccount(generatePrivateKey());
const address = wallet.address.toLowerCase() as Hex;
const router: Hex = `0x${"a1".repeat(20)}`;
const base: RpcBlock = {
  number: "0x10",
  hash: `0x${"b2".repeat(32)}`,
  parentHash: `0x${"b1".repeat(32)}`,
  timestamp: "0x64",
  transactions: [],
};

const signed = (nonce: number, to: Hex = router) =>
  wallet.signTransaction({ chainId: 1, nonce, to, gas: 1n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n });

describe("the stub's chain", () => {
  it("mines the account's transactions in the order of nonces, up to a gap", async () => {
    const chain = createStubChain(base, { address, router, nonce: 5 });
    const hashes: (Hex | null)[] = [];
    for (const nonce of [6, 5, 8]) hashes.push(chain.take(await signed(nonce)));
    const [sixth, fifth, eighth] = hashes as [Hex, Hex, Hex];
    expect(chain.mined).toBe(5);
    expect(chain.receipt(fifth)).toBeNull();
    chain.mine(101);
    expect(chain.mined).toBe(7);
    expect(chain.head).toMatchObject({ number: "0x11", parentHash: base.hash, timestamp: "0x65" });
    expect(chain.head.transactions).toEqual([fifth, sixth]);
    const place = { blockHash: chain.head.hash, blockNumber: "0x11", transactionIndex: "0x1" };
    expect(chain.receipt(sixth)).toMatchObject({ ...place, status: "0x1", logs: [] });
    expect(chain.receipt(eighth)).toBeNull();
    expect(chain.block({ number: 17n }, true)?.transactions[1]).toMatchObject({ hash: sixth, nonce: "0x6" });
  });

  it("leaves transactions to other contracts to the node, and mines blocks without any", async () => {
    const chain = createStubChain(base, { address, router, nonce: 0 });
    expect(chain.take(await signed(0, `0x${"c3".repeat(20)}`))).toBeNull();
    chain.mine(90);
    chain.mine(90);
    expect(chain.mined).toBe(0);
    expect(chain.head).toMatchObject({ number: "0x12", timestamp: "0x66" });
    expect(chain.block({ hash: chain.head.parentHash }, false)).toMatchObject({ parentHash: base.hash });
  });
});
