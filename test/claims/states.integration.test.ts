import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { concat, type Hex, type LocalAccount, parseEther } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { signAttribution } from "../../src/claims/attribution/suffix.ts";
import { ROOT } from "../../src/config/root.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { LATER, router } from "../contracts/calls.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { type ClaimedChain, startClaimedChain } from "../support/chain/claimed-chain.ts";
import { account, type Product, send, startProduct } from "../support/chain/product.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { lower, PRODUCT } from "../support/http/features.ts";

// The list of docs/ownership.md: each state of a transaction, as it arises on a chain, and what both endpoints answer then.

interface Row {
  state: string;
  byTx: string;
  record: string;
}

const PAGE = readFileSync(`${ROOT}docs/ownership.md`, "utf8");
const TEXTS = new Map(
  [...PAGE.matchAll(/^- ([\w' ]+): "(.+)"$/gm)].map(([, text = "", errMsg = ""]) => [errMsg, text] as const),
);
/** States below "- **answer by transaction**, answer to recording". */
const ROWS = [...PAGE.matchAll(/^- \*\*(.+)\*\*, (\w+)\n((?: {2}- .+\n)+)/gm)].flatMap(
  ([, byTx = "", record = "", states = ""]) =>
    [...states.matchAll(/- (.+)\n/g)].map(([, state = ""]): Row => ({ state, byTx, record })),
);

let chain: ClaimedChain;
let second: Product;
let mine: Caller;
let other: Caller;
/** Keys that are bound to a user. */
let anns: Caller;
let bobs: Caller;
let alsoBobs: Caller;

beforeAll(async () => {
  second = await startProduct({ chainId: 31338 });
  chain = await startClaimedChain([{ deployment: second.deployment, rpcUrls: [second.rpcUrl] }]);
  const key = (user?: LocalAccount) =>
    chain.features.makeCaller(user ? { userAddress: lower(user.address) } : {});
  [mine, other] = [await key(), await key()];
  [anns, bobs, alsoBobs] = [await key(chain.ann), await key(chain.bob), await key(chain.bob)];
});
afterAll(async () => {
  await chain?.stop();
  await second?.stop();
});
beforeEach(() => chain.clear());

const bare = () => router("placeMarketOrder", chain.aapl, parseEther("10"), LATER);
/** Returns a suffix in our form, signed with another server's key. */
const forged = () =>
  concat([
    bare(),
    signAttribution(
      [{ id: "another", key: Buffer.alloc(32, 1) }],
      { chainId: 31337, router: chain.product.deployment.stockRouter, callData: bare() },
      { apiKey: "pk_another", user: null },
    ),
  ]);
/** Returns a suffix of schema 2 without metadata of ours: CBOR of an empty map. */
const foreign = () => concat([bare(), "0xa0000102", `0x${"8021".repeat(8)}`]);
const placed = (data: Hex) => chain.placed(chain.ann, data);
const verified = async (data: Hex): Promise<Hex> => {
  const txHash = await placed(data);
  await chain.verify();
  return txHash;
};
const recordedBy = async (caller: Caller): Promise<Hex> => {
  const txHash = await placed(bare());
  await chain.record(caller, txHash);
  return txHash;
};
const final = async (txHash: Hex): Promise<Hex> => {
  await chain.finalize();
  return txHash;
};
/** Claims a transaction before it is mined and indexed, and returns its hash. */
const aheadOf = async (caller: Caller, data: Hex): Promise<Hex> => {
  const { hash, bytes } = await chain.signed(chain.ann, data);
  await chain.record(caller, hash);
  await chain.product.client.sendRawTransaction({ serializedTransaction: bytes });
  await chain.index(hash);
  return hash;
};
const pendingOf = async (caller: Caller): Promise<Hex> => {
  const { hash } = await chain.signed(chain.ann, bare());
  await chain.record(caller, hash);
  return hash;
};
/** Makes a key that is bound to a user, or to nobody, has `work` done with it, and binds it to another user. */
const rebound = async (
  from: LocalAccount | null,
  to: LocalAccount,
  work: (key: Caller) => Promise<Hex>,
): Promise<[Caller, Hex]> => {
  const { deps, makeCaller } = chain.features;
  const key = await makeCaller({ userAddress: from && lower(from.address) });
  const txHash = await work(key);
  const userAddress = lower(to.address);
  await deps.pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [
    key.keyId,
    userAddress,
  ]);
  return [{ ...key, userAddress }, txHash];
};
const recordedByBoth = async (key: Caller): Promise<Hex> => {
  const txHash = await recordedBy(key);
  await chain.record(other, txHash);
  return txHash;
};
const sentBy = async (caller: Caller): Promise<Hex> => {
  const txHash = await placed(bare());
  const claim = { txHash, source: "send", userAddress: lower(chain.ann.address) } as const;
  await createClaim(chain.features.deps.pool, { ...caller, chainId: 31337, productType: PRODUCT }, claim);
  return txHash;
};
const secondUse = async (caller: Caller): Promise<Hex> => {
  const data = await chain.calldata(caller, chain.ann);
  await placed(data);
  return verified(data);
};
const reverted = async (): Promise<Hex> => {
  const data = router("placeMarketOrder", chain.aapl, parseEther("1000000000"), LATER);
  const { bytes } = await chain.signed(chain.ann, data);
  return chain.product.client.sendRawTransaction({ serializedTransaction: bytes });
};
const underTheRuleBefore = async (): Promise<Hex> => {
  const txHash = await placed(bare());
  await createClaim(chain.features.deps.pool, { ...bobs, chainId: 31337, productType: PRODUCT }, { txHash });
  return txHash;
};
const onSecondChain = async (): Promise<Hex> => {
  const { client, deployment } = second;
  const deposit = router("deposit", present(deployment.cashTokens[0], "a cash token").address, 5_000_000n);
  return (await send(client, account(2), deployment.stockRouter, deposit)).transactionHash;
};

/** Has each state arise; the key that asks is `mine`, unless it says otherwise. */
const STATES: Record<string, () => Promise<Hex | [Caller, Hex]>> = {
  "no node knows it": async () => hex(32, 0xab),
  "a node of another chain alone knows it": onSecondChain,
  "recorded by this key, not mined": () => pendingOf(mine),
  "recorded by another key, not mined": () => pendingOf(other),
  "mined, not indexed, not recorded": async () => (await chain.submit(chain.ann, bare())).transactionHash,
  reverted,
  "mined, and no order": async () => {
    const usdc = present(chain.product.deployment.cashTokens[0], "a cash token").address;
    return placed(router("deposit", usdc, 5_000_000n));
  },
  "sent by this key": () => sentBy(mine),
  "sent by another key": () => sentBy(other),
  "not recorded": () => placed(bare()),
  "recorded by this key": () => recordedBy(mine),
  "recorded by another key": () => recordedBy(other),
  "recorded by a key that is bound to nobody; this key is bound to the order's user": async () => [
    anns,
    await recordedBy(other),
  ],
  "recorded by a key that is bound to nobody; this key is bound to the order's user, once the block is final":
    async () => [anns, await final(await recordedBy(other))],
  "recorded by a key that is bound to the order's user": () => recordedBy(anns),
  "recorded by this key, which is bound to another user": async () => [bobs, await recordedBy(bobs)],
  "recorded by a key that is bound to another user": () => recordedBy(bobs),
  "recorded by a key that is bound to another user, once the block is final": async () =>
    final(await recordedBy(bobs)),
  "recorded by a key that is bound to another user, once the block is final, and this key is bound to the order's user":
    async () => [anns, await final(await recordedBy(bobs))],
  "recorded by a key that is bound to another user, as this key is": async () => [
    alsoBobs,
    await recordedBy(bobs),
  ],
  "recorded by this key, which is bound to another user, under the rule before": async () => [
    bobs,
    await underTheRuleBefore(),
  ],
  "recorded by this key, which was bound to the order's user then, and is to another now": () =>
    rebound(chain.ann, chain.bob, recordedBy),
  "recorded by a key that was bound to the order's user then, and is to another now": async () =>
    (await rebound(chain.ann, chain.bob, recordedBy))[1],
  "recorded by this key, which was bound to another user then, and is to the order's now": () =>
    rebound(chain.bob, chain.ann, recordedBy),
  "recorded by this key, which was bound to another user then, and is to the order's now, and after it by a key that is bound to nobody":
    () => rebound(chain.bob, chain.ann, (key) => recordedByBoth(key)),
  "recorded by this key, which was bound to another user then, and is to the order's now, and after it by a key that is bound to nobody, once the block is final":
    () => rebound(chain.bob, chain.ann, async (key) => final(await recordedByBoth(key))),
  "carries this key's valid suffix": async () => verified(await chain.calldata(mine, null)),
  "carries this key's valid suffix, from a wallet that this key is not bound to": async () => [
    bobs,
    await verified(await chain.calldata(bobs, null)),
  ],
  "carries this key's valid suffix a second time": () => secondUse(mine),
  "carries another key's valid suffix": async () => verified(await chain.calldata(other, null)),
  "carries another key's valid suffix, from a wallet that the key is not bound to": async () =>
    verified(await chain.calldata(bobs, null)),
  "carries another key's valid suffix a second time": () => secondUse(other),
  "carries another key's valid suffix, and no verdict is stored": async () =>
    placed(await chain.calldata(other, null)),
  "carries another key's valid suffix, no verdict is stored, and this key recorded it before": async () =>
    aheadOf(mine, await chain.calldata(other, null)),
  "carries a suffix in our form that is not valid, and no verdict is stored": () => placed(forged()),
  "carries a suffix in our form that is not valid, no verdict is stored, and this key recorded it before":
    () => aheadOf(mine, forged()),
  "carries a suffix of another application": () => placed(foreign()),
};

async function answerOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.errCode !== "TRANSACTION_NOT_FOUND") return error.errCode;
    return TEXTS.get(error.message) ?? `${error.errCode}: ${error.message}`;
  }
}

describe("a transaction in the state", () => {
  it.each(ROWS)("$state", async ({ state, byTx, record }) => {
    const made = await present(STATES[state], `how the state "${state}" arises`)();
    const [caller, txHash] = typeof made === "string" ? [mine, made] : made;
    const found = (await answerOf(chain.byTx(caller, txHash))) ?? "order";
    const recorded = (await answerOf(chain.record(caller, txHash))) ?? "mapping";
    expect({
      byTx: found,
      record: recorded.replace(/^(TRANSACTION_NOT_FOUND): .* on chain 31338, .*/, "$1"),
    }).toEqual({
      byTx,
      record,
    });
    // A later read gives the same answer.
    const after = (await answerOf(chain.byTx(caller, txHash))) ?? "order";
    if (recorded === "TX_OWNED_BY_ANOTHER_KEY") expect(after).toBe("another key's");
    else expect(after).not.toMatch(/record it|another key's/);
  });

  it("is none that the list does not have", () => {
    expect(Object.keys(STATES).sort()).toEqual(ROWS.map(({ state }) => state).sort());
  });
});

it("neither endpoint refers to the other for what that refuses", () => {
  for (const { byTx, record } of ROWS) {
    if (byTx === "record it") expect(record).toBe("mapping");
    if (byTx === "another key's") expect(record).toBe("TX_OWNED_BY_ANOTHER_KEY");
  }
  expect(new Set(ROWS.map(({ byTx }) => byTx))).toEqual(new Set(["order", ...TEXTS.values()]));
});
