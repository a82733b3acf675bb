import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type Hex, keccak256, parseTransaction } from "viem";
import { present, until } from "../support/assert/until.ts";
import { type Fault, type Rule, startRpcProxy } from "../support/chain/rpc-proxy.ts";
import {
  type ChainFixture,
  confirm,
  type DrivenWallet,
  type DriveWalletOptions,
  driveWallet,
  minedFrom,
  startChainFixture,
} from "../support/sender/chain-fixture.ts";

/** docs/faults.md, rows 4 to 12: what nodes do to a send. */
let fixture: ChainFixture;
let driven: DrivenWallet | null = null;

beforeAll(async () => {
  fixture = await startChainFixture();
});
afterAll(() => fixture?.close());
afterEach(async () => {
  fixture.proxy.rule = null;
  await fixture.chain.setAutomine(true);
  await driven?.stop();
  driven = null;
});

async function driveOne(options: DriveWalletOptions = {}): Promise<DrivenWallet> {
  driven = await driveWallet(fixture, options);
  return driven;
}

it("sends, follows and finishes", async () => {
  const one = await driveOne();
  const id = await one.send();
  const mined = await one.reaches(id, "mined");
  expect(mined).toMatchObject({ minedSuccess: true, nonce: 0n });
  await confirm(fixture);
  const final = await one.reaches(id, "final");
  expect(final.outcome).toBe("confirmed");
  expect(await minedFrom(fixture.chain, one.signer.address)).toMatchObject([
    { nonce: 0, input: final.data, hash: final.txHash },
  ]);
});

const RAW = "eth_sendRawTransaction";

/** Applies a fault to the first so many broadcasts. */
function firstBroadcasts(count: number, fault: Fault | (() => Promise<Fault>)): void {
  let left = count;
  fixture.proxy.rule = async ({ method }) => {
    if (method !== RAW || left === 0) return undefined;
    left--;
    return typeof fault === "function" ? await fault() : fault;
  };
}

async function endsOnce(one: DrivenWallet, ids: string[]): Promise<void> {
  for (const id of ids) await one.reaches(id, ["mined", "final"]);
  await confirm(fixture);
  const rows = await Promise.all(ids.map((id) => one.reaches(id, "final")));
  const mined = await minedFrom(fixture.chain, one.signer.address);
  expect(mined.map(({ nonce }) => nonce)).toEqual(ids.map((_, index) => index));
  expect(mined.map(({ hash }) => hash)).toEqual(
    [...rows].sort((a, b) => Number((a.nonce ?? 0n) - (b.nonce ?? 0n))).map(({ txHash }) => txHash),
  );
  expect(new Set(mined.map(({ input }) => input))).toEqual(new Set(rows.map(({ data }) => data)));
}

async function attemptsOf(id: string) {
  const { rows } = await fixture.pool.query<{
    tx_hash: string;
    kind: string;
    max_fee_per_gas: string;
    max_priority_fee: string;
    broadcasts: number;
  }>(
    "SELECT tx_hash, kind, max_fee_per_gas, max_priority_fee, broadcasts FROM app.send_attempt WHERE request_id = $1 ORDER BY attempt_id",
    [id],
  );
  return rows;
}

/** Waits until the pool holds a transaction, so that the next block will. */
const pooled = (hash: Hex) =>
  until("the pool has it", () =>
    fixture.chain.getTransaction({ hash }).then(
      () => true,
      () => undefined,
    ),
  );

it("row 4: the node takes it and the reply is lost: the same hash lands", async () => {
  const one = await driveOne();
  firstBroadcasts(2, "lose-reply");
  const id = await one.send();
  await endsOnce(one, [id]);
  expect(await attemptsOf(id)).toHaveLength(1);
});

it("row 5: the request to the node is lost: the same bytes are sent again", async () => {
  const one = await driveOne();
  firstBroadcasts(2, "lose-request");
  const id = await one.send();
  await endsOnce(one, [id]);
  expect(await attemptsOf(id)).toMatchObject([{ broadcasts: 3 }]);
});

it("row 6: requests queue while the node is down, and drain in order when it is back", async () => {
  const one = await driveOne();
  fixture.proxy.rule = () => "lose-request";
  const ids: string[] = [];
  for (let count = 0; count < 12; count++) ids.push(await one.send());
  await until("the alarm", () => one.alarms.some(({ alarm }) => alarm === "node-unreachable") || undefined);
  for (const id of ids) expect({ id, state: (await one.row(id)).state }).toEqual({ id, state: "accepted" });
  fixture.proxy.rule = null;
  await endsOnce(one, ids);
  const rows = await Promise.all(ids.map(one.row));
  expect(rows.map(({ nonce }) => nonce)).toEqual(ids.map((_, index) => BigInt(index)));
});

it.each<[string, Rule]>([
  ["502", () => ({ status: 502, body: "<html>Bad Gateway</html>" })],
  ["garbage", () => ({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{"garbage":' })],
  ["results of another shape", () => ({ result: { surprise: true } })],
  ["the wrong chain", ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined)],
  [
    "too slowly",
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return undefined;
    },
  ],
])("row 7: a node that answers %s changes no state, and is told of", async (what, rule) => {
  const one = await driveOne(what === "too slowly" ? { rpcTimeoutMs: 1_000 } : {});
  const before = await one.send();
  await one.reaches(before, "mined");
  fixture.proxy.rule = rule;
  const id = await one.send();
  await until("an alarm", () => one.alarms.some(({ alarm }) => alarm === "node-unreachable") || undefined);
  expect((await one.row(before)).state).toBe("mined");
  expect(await minedFrom(fixture.chain, one.signer.address)).toHaveLength(1);
  if (what === "the wrong chain")
    expect(one.alarms).toContainEqual({ alarm: "wrong-chain", fields: { answered: "1" } });
  fixture.proxy.rule = null;
  await endsOnce(one, [before, id]);
});

it("row 7: the next RPC URL serves while the first one fails", async () => {
  const dead = await startRpcProxy(fixture.anvil.rpcUrl);
  dead.rule = () => ({ status: 503, body: "" });
  try {
    const one = await driveOne({ rpcUrls: [dead.url, fixture.proxy.url] });
    await endsOnce(one, [await one.send(), await one.send()]);
  } finally {
    await dead.close();
  }
});

it("row 7: the next RPC URL serves where the first one has the head, and neither nonces nor receipts", async () => {
  const partial = await startRpcProxy(fixture.anvil.rpcUrl);
  partial.rule = ({ method }) => {
    if (method === "eth_getTransactionReceipt")
      return { error: { code: -32601, message: "not on this plan" } };
    return method === "eth_getTransactionCount" ? { status: 503, body: "" } : undefined;
  };
  try {
    const one = await driveOne({ rpcUrls: [partial.url, fixture.proxy.url] });
    await endsOnce(one, [await one.send(), await one.send()]);
  } finally {
    await partial.close();
  }
});

it("row 7: a first node that stopped syncing is not used, and is told of", async () => {
  const head = await fixture.chain.transport.request({
    method: "eth_getBlockByNumber",
    params: ["latest", false],
  });
  await fixture.chain.mine({ blocks: 10 });
  const stuck = await startRpcProxy(fixture.anvil.rpcUrl);
  stuck.rule = ({ method, params }) => {
    if (method === "eth_getBlockByNumber" && params[0] === "latest") return { result: head };
    if (method === "eth_getTransactionCount") return { result: "0x0" };
    if (method === RAW) return { result: keccak256(params[0] as Hex) };
    return method.startsWith("eth_getTransaction") ? { result: null } : undefined;
  };
  try {
    const one = await driveOne({ rpcUrls: [stuck.url, fixture.proxy.url], config: { takenMax: 1_000 } });
    await endsOnce(one, [await one.send(), await one.send()]);
    const told = await until("the alarm", () => one.alarms.find(({ alarm }) => alarm === "node-stale"));
    const isFarBehind = Number(told.fields.blocksBehind) >= 10;
    expect({ ...told.fields, isFarBehind }).toMatchObject({ ...told.fields, node: 1, isFarBehind: true });
  } finally {
    await stuck.close();
  }
});

it("what the first node takes and passes to nobody goes to every node the second time", async () => {
  const hole = await startRpcProxy(fixture.anvil.rpcUrl);
  hole.rule = ({ method, params }) => (method === RAW ? { result: keccak256(params[0] as Hex) } : undefined);
  try {
    const one = await driveOne({ rpcUrls: [hole.url, fixture.proxy.url], config: { takenMax: 1_000 } });
    const id = await one.send();
    await endsOnce(one, [id]);
    expect(await attemptsOf(id)).toMatchObject([{ broadcasts: 2 }]);
  } finally {
    await hole.close();
  }
});

it("row 8: nonce too low never leads to another nonce", async () => {
  const one = await driveOne({ config: { bumpAfterMs: 60_000 } });
  firstBroadcasts(3, { error: { code: -32000, message: "nonce too low: next nonce 7, tx nonce 0" } });
  const id = await one.send();
  await endsOnce(one, [id]);
  expect(await attemptsOf(id)).toHaveLength(1);
  expect((await one.wallet()).next_nonce).toBe("1");
});

it("row 9: already known, in every dialect, counts as sent", async () => {
  const one = await driveOne();
  const ids: string[] = [];
  for (const message of [
    "already known",
    "ALREADY_EXISTS: already known",
    "transaction already imported",
    "AlreadyKnown",
    "Known transaction",
    "existing tx with same hash",
    "known transaction. transaction with hash 0x0 is already in the system",
    "Pool(AlreadyImported)",
  ]) {
    fixture.proxy.rule = async (question) => {
      if (question.method !== RAW) return undefined;
      await fetch(fixture.anvil.rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...question }),
      });
      return { error: { code: -32000, message } };
    };
    const id = await one.send();
    await one.reaches(id, ["broadcast", "mined"]);
    ids.push(id);
  }
  await endsOnce(one, ids);
  const { rows } = await fixture.pool.query(
    "SELECT DISTINCT answer FROM app.send_attempt WHERE wallet = $1",
    [one.signer.address],
  );
  expect(rows).toEqual([{ answer: "taken" }]);
});

it("row 10: where the node asks for 10% more, the replacement offers it", async () => {
  const one = await driveOne({ config: { bumpAfterMs: 700 } });
  await fixture.chain.setAutomine(false);
  let highest = 0n;
  fixture.proxy.rule = ({ method, params }) => {
    if (method !== RAW) return undefined;
    const { maxFeePerGas = 0n } = parseTransaction(params[0] as Hex);
    if (highest > 0n && maxFeePerGas !== highest && maxFeePerGas * 10n < highest * 11n) {
      return { error: { code: -32000, message: "replacement transaction underpriced" } };
    }
    highest = maxFeePerGas;
    return undefined;
  };
  const id = await one.send();
  const attempts = await until("a second attempt that is taken", async () => {
    const found = await attemptsOf(id);
    return found.length >= 2 && found[1]?.broadcasts ? found : undefined;
  });
  const [first, second] = attempts;
  const isEighthMore = (fee: "max_fee_per_gas" | "max_priority_fee") =>
    BigInt(second?.[fee] ?? 0) * 1000n >= BigInt(first?.[fee] ?? 0) * 1125n;
  expect({
    first,
    second,
    isFeeHigher: isEighthMore("max_fee_per_gas"),
    isPriorityFeeHigher: isEighthMore("max_priority_fee"),
  }).toEqual({ first, second, isFeeHigher: true, isPriorityFeeHigher: true });
  await fixture.chain.mine({ blocks: 1 });
  await endsOnce(one, [id]);
});

it("row 10: a rival in the pool is outbid step by step", async () => {
  const one = await driveOne({ config: { bumpAfterMs: 60_000 } });
  let refusals = 2;
  fixture.proxy.rule = ({ method }) =>
    method === RAW && refusals-- > 0
      ? { error: { code: -32000, message: "replacement transaction underpriced" } }
      : undefined;
  const id = await one.send();
  await endsOnce(one, [id]);
  expect(await attemptsOf(id)).toHaveLength(3);
});

it("what every node refuses in unknown words holds up nobody: its nonce is filled", async () => {
  const second = await startRpcProxy(fixture.anvil.rpcUrl);
  try {
    const one = await driveOne({ rpcUrls: [fixture.proxy.url, second.url] });
    const odd = 123_456n;
    const refuse: Rule = ({ method, params }) =>
      method === RAW && parseTransaction(params[0] as Hex).gas === odd
        ? { error: { code: -32000, message: "this one is not to our taste" } }
        : undefined;
    fixture.proxy.rule = refuse;
    second.rule = refuse;
    const refused = await one.send({ gasLimit: odd });
    const behind = await one.send();
    await one.reaches(behind, ["mined", "final"]);
    await confirm(fixture);
    const ended = await until("the refused request failed", async () => {
      const row = await one.row(refused);
      return row.state === "failed" ? row : undefined;
    });
    expect(ended).toMatchObject({ errCode: "CHAIN_REVERT", nonce: 0n });
    expect(await attemptsOf(refused)).toMatchObject([{ kind: "call", broadcasts: 3 }, { kind: "filler" }]);
    expect(one.alarms.map(({ alarm }) => alarm)).toContain("unknown-answer");
  } finally {
    await second.close();
  }
});

it("what one node refuses and another takes is sent", async () => {
  const picky = await startRpcProxy(fixture.anvil.rpcUrl);
  picky.rule = ({ method }) =>
    method === RAW
      ? { error: { code: -32000, message: "tx fee (1.20 ether) exceeds the configured cap (1.00 ether)" } }
      : undefined;
  try {
    const one = await driveOne({ rpcUrls: [picky.url, fixture.proxy.url] });
    const id = await one.send();
    await endsOnce(one, [id]);
    expect(await attemptsOf(id)).toHaveLength(1);
  } finally {
    await picky.close();
  }
});

it("row 11: the fee estimate fails while bumping: the stored bytes go out again", async () => {
  const one = await driveOne({ config: { bumpAfterMs: 700 } });
  await fixture.chain.setAutomine(false);
  // Counts from the first broadcast on: no fee is raised before.
  let isSent = false;
  fixture.proxy.rule = ({ method }) => {
    isSent ||= method === RAW;
    return isSent && method === "eth_maxPriorityFeePerGas" ? "lose-request" : undefined;
  };
  const id = await one.send();
  await one.reaches(id, "broadcast");
  await until(
    "three more broadcasts",
    async () => ((await attemptsOf(id))[0]?.broadcasts ?? 0) >= 4 || undefined,
  );
  const attempts = await attemptsOf(id);
  const sent = fixture.proxy.asked.filter(({ method }) => method === RAW).slice(-3);
  expect(new Set(sent.map(({ params }) => keccak256(params[0] as Hex)))).toEqual(
    new Set([attempts.at(-1)?.tx_hash]),
  );
  fixture.proxy.rule = null;
  await fixture.chain.mine({ blocks: 1 });
  await endsOnce(one, [id]);
});

it("row 12: a transaction that the pool dropped is sent again", async () => {
  const one = await driveOne({ config: { bumpAfterMs: 60_000 } });
  await fixture.chain.setAutomine(false);
  const id = await one.send();
  const { txHash } = await one.reaches(id, "broadcast");
  const hash = present(txHash, "a hash");
  await fixture.chain.dropTransaction({ hash });
  // It may have been broadcast a second time before it was dropped.
  await pooled(hash);
  await until("it is recorded as sent again", async () => {
    const { broadcasts = 0 } = (await attemptsOf(id))[0] ?? {};
    return broadcasts >= 2 || undefined;
  });
  await fixture.chain.mine({ blocks: 1 });
  await endsOnce(one, [id]);
  expect(await attemptsOf(id)).toHaveLength(1);
});

const RECEIPT = "eth_getTransactionReceipt";

describe("row 71: a receipt whose block is not on the chain is not believed", () => {
  const elsewhere: Hex = `0x${"bad".padEnd(64, "0")}`;
  /** Returns the node's receipt, unparsed. */
  const receiptOf = (params: unknown[]): Promise<object | null> =>
    fixture.chain.transport.request({ method: RECEIPT, params });
  /** Returns the node's receipt, changed as if the transaction had reverted in another block. */
  const falsified = async (params: unknown[]): Promise<Fault | undefined> => {
    const receipt = await receiptOf(params);
    return receipt ? { result: { ...receipt, blockHash: elsewhere, status: "0x0" } } : undefined;
  };
  const asked = async (count: number) => {
    const before = fixture.proxy.asked.length;
    await until("receipts were asked for", () => {
      const times = fixture.proxy.asked.slice(before).filter(({ method }) => method === RECEIPT).length;
      return times >= count || undefined;
    });
  };

  it("of what is sent: it stays sent, and nobody else is suspected", async () => {
    const one = await driveOne();
    fixture.proxy.rule = ({ method, params }) => (method === RECEIPT ? falsified(params) : undefined);
    const id = await one.send();
    await one.reaches(id, "broadcast");
    // The effects of an answer are stored before the next request.
    await asked(4);
    await confirm(fixture);
    await asked(4);
    expect(await one.row(id)).toMatchObject({ state: "broadcast", minedBlock: null, errCode: null });
    expect((await one.wallet()).state).toBe("active");
    fixture.proxy.rule = null;
    const final = await one.reaches(id, "final");
    expect(final).toMatchObject({ outcome: "confirmed", minedSuccess: true });
  });

  it("of what a reorg took out: it is not final however many blocks follow, and goes out again", async () => {
    const one = await driveOne();
    const id = await one.send();
    const hash = (await one.reaches(id, "mined")).txHash ?? "0x";
    const stale = await receiptOf([hash]);
    fixture.proxy.rule = ({ method }) => (method === RECEIPT ? { result: stale } : undefined);
    await fixture.chain.setAutomine(false);
    await fixture.chain.transport.request({ method: "anvil_reorg", params: [1, []] });
    await confirm(fixture);
    await confirm(fixture);
    expect(await one.reaches(id, "broadcast")).toMatchObject({ minedBlock: null });
    fixture.proxy.rule = null;
    await pooled(hash);
    await fixture.chain.mine({ blocks: 1 });
    await endsOnce(one, [id]);
  });
});
