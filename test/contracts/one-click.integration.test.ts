import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  type Address,
  concatHex,
  encodeDeployData,
  type Hex,
  type LocalAccount,
  pad,
  parseEther,
} from "viem";
import { bytecode, smartWalletAbi } from "../../packages/sandbox/src/contracts/bytecode.ts";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import { oneClickRouterAbi } from "../../src/contracts/abi/index.ts";
import { encodeExecuteFor } from "../../src/sending/execute-for.ts";
import { buildTrailer } from "../../src/sending/trailer.ts";
import { present } from "../support/assert/until.ts";
import { account, send } from "../support/chain/product.ts";
import { type Bench, decodeEvents, type Event, only, startBench } from "./bench.ts";
import { DAY, LATER, oneClick, router } from "./calls.ts";
import { wallet } from "./wallet-calls.ts";

// Delegation and delegated execution (docs/contracts.md#oneclickrouter).

const ONE = 10n ** 18n;

let bench: Bench;
/** The delegatee, and an account without delegations. */
const operator = account(8);
const stranger = account(9);
/** ann's wallet contract. */
let annsWallet: Address;

beforeAll(async () => {
  bench = await startBench(async ({ client, ann }) => {
    const [created] = await sendAll(client, ann, [
      {
        name: "create the wallet",
        to: null,
        data: encodeDeployData({ abi: smartWalletAbi, bytecode: bytecode.SmartWallet, args: [ann.address] }),
        gas: 2_000_000n,
      },
    ]);
    annsWallet = present(created?.contractAddress, "the wallet's address");
  });
});
beforeEach(() => bench.reset());
afterAll(() => bench?.stop());

interface Delegation {
  user: Address;
  delegatee: Address;
  nonce: bigint;
  deadline: number;
}

function sign(signer: LocalAccount, message: Delegation, name = "OneClickRouter"): Promise<Hex> {
  return signer.signTypedData({
    domain: { name, version: "1", chainId: 31337, verifyingContract: bench.deployment.oneClickRouter },
    types: {
      Delegate: [
        { name: "user", type: "address" },
        { name: "delegatee", type: "address" },
        { name: "nonce", type: "uint64" },
        { name: "deadline", type: "uint32" },
      ],
    },
    primaryType: "Delegate",
    message,
  });
}

const delegation = (change: Partial<Delegation> = {}): Delegation => ({
  user: bench.ann.address,
  delegatee: operator.address,
  nonce: 0n,
  deadline: LATER,
  ...change,
});
const bySig = ({ user, delegatee, nonce, deadline }: Delegation, signature: Hex): Hex =>
  oneClick("delegateBySig", user, delegatee, nonce, deadline, signature);
const at = (from: LocalAccount, data: Hex): Promise<Event[]> =>
  send(bench.client, from, bench.deployment.oneClickRouter, data).then(({ logs }) => decodeEvents(logs));
const refused = (from: LocalAccount, data: Hex): Promise<string> =>
  bench.revertOf(from, bench.deployment.oneClickRouter, data);
const read = (user: Address) =>
  Promise.all([
    bench.client.readContract({
      address: bench.deployment.oneClickRouter,
      abi: oneClickRouterAbi,
      functionName: "delegateeOf",
      args: [user],
    }),
    bench.client.readContract({
      address: bench.deployment.oneClickRouter,
      abi: oneClickRouterAbi,
      functionName: "nonceOf",
      args: [user],
    }),
  ]);
const ZERO = "0x0000000000000000000000000000000000000000";

async function enable(): Promise<void> {
  await at(operator, bySig(delegation(), await sign(bench.ann, delegation())));
}

describe("delegateBySig", () => {
  it("takes an EOA's signature, once", async () => {
    const { ann } = bench;
    const call = bySig(delegation(), await sign(ann, delegation()));
    expect(await at(operator, call)).toEqual([
      { name: "Delegated", args: { user: ann.address, delegatee: operator.address, nonce: 0n } },
    ]);
    expect(await read(ann.address)).toEqual([operator.address, 1n]);
    expect(await refused(operator, call)).toBe("InvalidNonce");
  });

  it("takes a wallet contract's signature (ERC-1271), and only of its owner", async () => {
    const message = delegation({ user: annsWallet });
    expect(await refused(operator, bySig(message, await sign(bench.bob, message)))).toBe("InvalidSigner");
    only(await at(operator, bySig(message, await sign(bench.ann, message))), "Delegated");
    const place = oneClick("executeFor", annsWallet, router("cancelLimitOrder", `0x${"11".repeat(32)}`));
    expect(await refused(operator, place)).toBe("OrderNotFound");
  });

  it("refuses a signature by anybody else or over anything else", async () => {
    const { ann, bob } = bench;
    const message = delegation();
    const good = await sign(ann, message);
    const signatures: Hex[] = [
      await sign(bob, message),
      await sign(ann, message, "Another"),
      await sign(ann, delegation({ delegatee: stranger.address })),
      await sign(ann, delegation({ deadline: LATER - 1 })),
      await sign(ann, delegation({ nonce: 1n })),
      good.slice(0, -2) as Hex,
      "0x",
    ];
    for (const signature of signatures) {
      expect(await refused(operator, bySig(message, signature))).toBe("InvalidSigner");
    }
    expect(await refused(operator, bySig(message, good))).toBe("none");
  });

  it("refuses another nonce, a passed deadline, and anybody but the delegatee", async () => {
    const { ann, client } = bench;
    const early = delegation({ nonce: 1n });
    expect(await refused(operator, bySig(early, await sign(ann, early)))).toBe("InvalidNonce");
    const { timestamp } = await client.getBlock();
    const late = delegation({ deadline: Number(timestamp) - 1 });
    expect(await refused(operator, bySig(late, await sign(ann, late)))).toBe("DeadlineExpired");
    expect(await refused(stranger, bySig(delegation(), await sign(ann, delegation())))).toBe("NotDelegatee");
    expect(await refused(ann, bySig(delegation(), await sign(ann, delegation())))).toBe("NotDelegatee");
  });

  it("replaces an earlier delegatee", async () => {
    await enable();
    const next = delegation({ delegatee: stranger.address, nonce: 1n });
    await at(stranger, bySig(next, await sign(bench.ann, next)));
    expect(await read(bench.ann.address)).toEqual([stranger.address, 2n]);
    const call = oneClick("executeFor", bench.ann.address, router("withdrawStock", bench.aapl, 1n));
    expect(await refused(operator, call)).toBe("NotDelegatee");
    expect(await refused(stranger, call)).toBe("none");
  });
});

describe("undelegate", () => {
  it.each<[string, (b: Bench) => LocalAccount, (b: Bench) => Hex]>([
    ["by the user", ({ ann }) => ann, () => oneClick("undelegate")],
    ["for oneself", ({ ann }) => ann, ({ ann }) => oneClick("undelegateFor", ann.address)],
    ["by the delegatee", () => operator, ({ ann }) => oneClick("undelegateFor", ann.address)],
  ])("%s ends it, and kills signatures that were never submitted", async (_who, from, data) => {
    const { ann } = bench;
    await enable();
    const unsent = delegation({ nonce: 1n });
    const call = bySig(unsent, await sign(ann, unsent));
    expect(await refused(operator, call)).toBe("none");
    expect(await at(from(bench), data(bench))).toEqual([
      { name: "Undelegated", args: { user: ann.address, delegatee: operator.address } },
    ]);
    expect(await read(ann.address)).toEqual([ZERO, 2n]);
    expect(await refused(operator, call)).toBe("InvalidNonce");
    const withdraw = oneClick("executeFor", ann.address, router("withdrawStock", bench.aapl, 1n));
    expect(await refused(operator, withdraw)).toBe("NotDelegatee");
  });

  it("is nobody else's, and works without a delegation", async () => {
    const { ann, bob } = bench;
    await enable();
    expect(await refused(stranger, oneClick("undelegateFor", ann.address))).toBe("NotDelegatee");
    expect(only(await at(bob, oneClick("undelegate")), "Undelegated").delegatee).toBe(ZERO);
    expect(await read(bob.address)).toEqual([ZERO, 1n]);
  });
});

describe("executeFor", () => {
  it("ignores the trailer behind its arguments, and does not forward it", async () => {
    const { ann, aapl } = bench;
    await enable();
    const place = router("placeMarketOrder", aapl, 5n * ONE, LATER);
    const bare = only(await at(operator, oneClick("executeFor", ann.address, place)), "MarketOrderPlaced");
    const names = { idempotencyKey: "one", clientOrderId: null, inputHash: "ab" };
    const scope = { keyId: randomUUID(), chainId: 31337, productType: "Sandbox" };
    const trailer = buildTrailer([{ id: "test", key: Buffer.alloc(32, 8) }], scope, names);
    const data = encodeExecuteFor(ann.address, place, trailer);
    const { user, amount } = only(await at(operator, data), "MarketOrderPlaced");
    expect({ user, amount }).toEqual({ user: bare.user, amount: bare.amount });
    // The user stays the last 20 bytes of the forwarded data: a trailer cannot name another user.
    const forged = concatHex([oneClick("executeFor", ann.address, place), pad(bench.bob.address)]);
    expect(only(await at(operator, forged), "MarketOrderPlaced").user).toBe(ann.address);
  });

  it("acts as the user, with the user's tokens", async () => {
    const { ann, usdc, aapl } = bench;
    await enable();
    const before = await bench.tokensOf(usdc, ann.address);
    const calls = [
      router("deposit", usdc, 5_000_000n),
      router("placeMarketOrder", aapl, 5n * ONE, LATER),
      router("depositAndLimitBuy", usdc, 5_000_000n, aapl, ONE, ONE, DAY, LATER),
    ];
    for (const call of calls) {
      const events = await at(operator, oneClick("executeFor", ann.address, call));
      const users = new Set(events.flatMap(({ args }) => (args.user === undefined ? [] : [args.user])));
      expect([...users]).toEqual([ann.address]);
    }
    expect(await bench.tokensOf(usdc, ann.address)).toBe(before - 10_000_000n);
    expect(await bench.tokensOf(usdc, operator.address)).toBe(0n);
  });

  it("returns what the call returns", async () => {
    const { ann, aapl, client, deployment } = bench;
    await enable();
    const { result } = await client.simulateContract({
      account: operator.address,
      address: deployment.oneClickRouter,
      abi: oneClickRouterAbi,
      functionName: "executeFor",
      args: [ann.address, router("placeMarketOrder", aapl, ONE, LATER)],
    });
    const events = await at(
      operator,
      oneClick("executeFor", ann.address, router("placeMarketOrder", aapl, ONE, LATER)),
    );
    expect(result).toBe(only(events, "MarketOrderPlaced").orderId);
  });

  it("takes the user from its own argument, whatever trails the call", async () => {
    const { ann, bob, aapl } = bench;
    await enable();
    for (const suffix of [bob.address, "0x8021802180218021", `0x${"ab".repeat(100)}`] as const) {
      const call = concatHex([router("placeMarketOrder", aapl, ONE, LATER), suffix]);
      const events = await at(operator, oneClick("executeFor", ann.address, call));
      expect(only(events, "MarketOrderPlaced").user).toBe(ann.address);
    }
  });

  it("bubbles reverts as they are, arguments included", async () => {
    const { ann, aapl, usdc } = bench;
    await enable();
    const tried = (data: Hex) => refused(operator, oneClick("executeFor", ann.address, data));
    expect(await tried(router("placeMarketOrder", aapl, ONE, 1))).toBe("DeadlineExpired");
    expect(await tried(router("withdraw", usdc, parseEther("1000000")))).toBe("InsufficientBalanceWad");
    expect(await tried(router("deposit", usdc, 10n ** 13n))).toBe("ERC20InsufficientBalance");
    expect(await tried("0x")).toBe("InvalidCall");
    expect(await tried("0x123456")).toBe("InvalidCall");
  });

  it("is the delegatee's alone, and the router trusts no other forwarder", async () => {
    const { ann, bob, aapl } = bench;
    await enable();
    const call = oneClick("executeFor", ann.address, router("withdrawStock", aapl, ONE));
    for (const caller of [stranger, bob, ann]) expect(await refused(caller, call)).toBe("NotDelegatee");
    expect(
      await refused(operator, oneClick("executeFor", bob.address, router("withdrawStock", aapl, ONE))),
    ).toBe("NotDelegatee");
    // An address appended without the forwarder names only its sender.
    const forged = concatHex([router("placeMarketOrder", aapl, ONE, LATER), ann.address]);
    const events = await bench.user(bob, forged);
    expect(only(events, "MarketOrderPlaced").user).toBe(bob.address);
  });

  it("of a wallet that delegated reaches StockRouter only, not the wallet", async () => {
    const message = delegation({ user: annsWallet });
    await at(operator, bySig(message, await sign(bench.ann, message)));
    const steal = wallet("executeBatch", [{ target: bench.usdc, value: 0n, data: "0x" }]);
    expect(await refused(operator, oneClick("executeFor", annsWallet, steal))).toMatch(/^undecoded/);
  });
});
