import { beforeEach, describe, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { lockChain } from "../../src/events/writer/chain-store.ts";
import { CORPORATE_ACTIONS } from "../../src/events/writer/sources/corporate-actions.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim, createClaims } from "../support/db/builders/claims.ts";
import { createDelegations, createSends, createWallet } from "../support/db/builders/sends.ts";
import { dyingPool } from "../support/db/dying-pool.ts";
import { empty } from "../support/db/empty.ts";
import { indexOnchain, type Row } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { PROJECTED } from "../support/db/projected.ts";
import { CHAIN_ID, STOCKS, USERS } from "../support/db/random-chain.ts";
import { PRODUCT } from "../support/http/features.ts";
import { ignoreDeath, useLog } from "./log-fixture.ts";
import { WALLET } from "./random-sends.ts";

// Events of other types than orders and operations.

const { features, onchain, deps, callers, write, readEvents, expectSendsTold, expectNoGap, expectObjects } =
  await useLog();

describe("a request to send", () => {
  const HASH = hex(32, 0x5e4d);
  const block = { number: 12n, timestamp: 1_799_000_012n };
  const caller = () => present(callers[0], "a caller");
  const sends = async () => (await readEvents(caller(), { types: "send.*", limit: "100" })).rows;
  let requestId: string;

  const become = (state: string, columns: Record<string, unknown> = {}) => {
    const values = { state, ...columns };
    const assignments = Object.keys(values).map((name, n) => `${name} = $${n + 2}`);
    return features.deps.pool.query(
      `UPDATE app.send_request SET ${assignments.join(", ")} WHERE request_id = $1`,
      [requestId, ...Object.values(values)],
    );
  };
  const mined = { mined_block: 12, mined_block_hash: hex(32, 1), mined_success: true, mined_filler: false };
  const unmined = { mined_block: null, mined_block_hash: null, mined_success: null, mined_filler: null };

  beforeEach(async () => {
    const { pool } = features.deps;
    await onchain.replace(CHAIN_ID, { stockOrder: [], cashOperation: [] }, block, { ...block, number: 10n });
    await write();
    await createWallet(pool, WALLET);
    const claimId = await createClaim(pool, caller(), { txHash: HASH, source: "send" });
    const options = { wallet: WALLET, userAddress: hex(20, 0xa1), claimId };
    [requestId = ""] = await createSends(pool, caller(), options);
    await become("signed", { nonce: 1, tx_hash: HASH });
    await write();
    expect(await sends()).toEqual([]);
    await become("broadcast");
  });

  it("is told of as its reply says it, with what a reorg takes back, and nothing twice", async () => {
    await write();
    await become("mined", mined);
    await write();
    await write();
    await become("broadcast", unmined);
    await write();
    await become("mined", mined);
    await write();
    await become("final", { outcome: "confirmed" });
    await write();
    const told = await sends();
    expect(told.map(({ type, blockNumber }) => [type, blockNumber])).toEqual([
      ["send.submitted", null],
      ["send.confirmed", 12],
      ["send.submitted", null],
      ["send.confirmed", 12],
      ["send.confirmed", 12],
    ]);
    expect(told.map(({ retracts }) => retracts)).toEqual([null, null, told[1]?.eventId, null, null]);
    expect(told[4]).toMatchObject({ resource: "sends", txHash: HASH, data: { requestId, final: true } });
    await expectObjects();
  });

  it("is told of again where a reply had shown what a reorg took back before it was told", async () => {
    await write();
    await become("mined", mined);
    await become("broadcast", unmined);
    await write();
    expect((await sends()).map(({ type }) => type)).toEqual(["send.submitted", "send.submitted"]);
  });

  it("is told of with the hash of the transaction that replaced its own, and nothing else of it changed", async () => {
    await write();
    await become("broadcast", { tx_hash: hex(32, 0x5e4e) });
    await write();
    expect((await sends()).map(({ type, txHash }) => [type, txHash])).toEqual([
      ["send.submitted", HASH],
      ["send.submitted", hex(32, 0x5e4e)],
    ]);
    await expectSendsTold(caller());
  });

  it("is compared again after a change of any column that its reply is made of, and of no other", async () => {
    const due = async () => {
      const text = "DELETE FROM app.event_due WHERE resource = 'sends' RETURNING claim_id";
      return (await features.deps.pool.query(text)).rows.map(({ claim_id }) => claim_id);
    };
    await become("mined", mined);
    await due();
    const reply = {
      tx_hash: hex(32, 0x5e4f),
      mined_success: false,
      mined_filler: true,
      err_code: "OUT_OF_GAS",
    };
    for (const [column, value] of Object.entries({ ...reply, revert: "NotDelegatee" })) {
      await become("mined", { [column]: value });
      expect({ column, due: await due() }).toEqual({ column, due: [requestId] });
      await become("mined", { [column]: value, gas_limit: 300_000 });
      expect({ column, due: await due() }).toEqual({ column, due: [] });
    }
    await become("final", { outcome: "confirmed" });
    expect(await due()).toEqual([requestId]);
  });

  it("is told of with the order that it made, once that is indexed", async () => {
    await become("mined", mined);
    await write();
    const stockOrder = [
      {
        chainId: CHAIN_ID,
        productType: PRODUCT,
        orderId: hex(32, 0xabc),
        txHash: HASH,
        blockNumber: 12n,
        updatedBlock: 12n,
        userAddress: hex(20, 0xa1),
        stockAddress: hex(20, 0x571),
        side: "Buy" as const,
        orderType: "Limit" as const,
        status: "open" as const,
      },
    ];
    await onchain.replace(CHAIN_ID, { stockOrder }, block, { ...block, number: 10n });
    await write();
    const orderIds = (await sends()).map(
      ({ data }) => (data as { mapping: { orderId: string } }).mapping.orderId,
    );
    expect(orderIds).toEqual([null, hex(32, 0xabc)]);
    await expectSendsTold(caller());
  });

  it("is told of as failed, with its reason", async () => {
    await become("failed", { err_code: "OUT_OF_GAS" });
    await write();
    expect(await sends()).toMatchObject([
      { type: "send.failed", data: { requestId, status: "failed", errCode: "OUT_OF_GAS", final: true } },
    ]);
  });
});

describe("an applied corporate action", () => {
  const block = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });
  const WAD = 10n ** 18n;
  const [stock = ""] = STOCKS;
  const apply = (number: bigint, newMultiplier: bigint) =>
    onchain.insert("multiplierChange", {
      chainId: CHAIN_ID,
      productType: PRODUCT,
      tokenAddress: stock as `0x${string}`,
      blockNumber: number,
      logIndex: 1,
      oldMultiplier: WAD,
      newMultiplier,
      txHash: hex(32, 0x5b117),
      timestamp: 1n,
    });
  const undo = () => features.deps.pool.query("DELETE FROM onchain.multiplier_change");
  const told = async (caller: Caller) =>
    (await readEvents(caller, { types: "corporate_action.applied", limit: "100" })).rows;
  const expectToldOnce = async () => {
    for (const caller of callers)
      expect({ keyId: caller.keyId, told: await told(caller) }).toEqual({
        keyId: caller.keyId,
        told: [expect.anything()],
      });
  };
  const move = (latest: bigint, safe: bigint) =>
    onchain.replace(CHAIN_ID, { stockOrder: [], cashOperation: [] }, block(latest), block(safe));

  beforeEach(async () => {
    await undo();
    await move(12n, 10n);
    await write();
  });

  it("is told to every key of its product, once, and still once when it is final", async () => {
    await apply(12n, 2n * WAD);
    await write(dyingPool(features.deps.pool, 9)).catch(ignoreDeath);
    await Promise.all([write(), write()]);
    await move(40n, 30n);
    await write();
    await write();
    for (const caller of callers) {
      expect(await told(caller)).toMatchObject([
        {
          resource: "corporate-action",
          sequence: 1,
          blockNumber: 12,
          retracts: null,
          txHash: hex(32, 0x5b117),
          data: { symbol: "S0", oldMultiplier: "1", newMultiplier: "2", blockNumber: 12 },
        },
      ]);
    }
    await expectNoGap();
    await expectObjects();
  });

  it("is told of with its block, also where all that is not final was compared just before", async () => {
    const run = createEventWriter(deps, { verifyMs: 3_600_000 });
    while (!(await run(CHAIN_ID)).complete);
    await apply(13n, 2n * WAD);
    await move(13n, 10n);
    await run(CHAIN_ID);
    await expectToldOnce();
    await write();
    await expectToldOnce();
  });

  it("is not told again by a slower writer, once another has told of it for good", async () => {
    await move(12n, 12n);
    await apply(12n, 2n * WAD);
    await write();
    const again = await inTransaction(features.deps.pool, async (client) => {
      const chain = present(await lockChain(client, CHAIN_ID), "the chain");
      const state = { ...chain, log: present(chain.log, "the log") };
      const found = { hashes: [hex(32, 0x5b117)], ids: [], seen: [] };
      const step = { chainId: CHAIN_ID, state, found, verified: 10n };
      return CORPORATE_ACTIONS.compare(client, step, { sentClaimIds: [] });
    });
    expect(again).toEqual({ events: [], remember: [] });
    await expectToldOnce();
  });

  it("is withdrawn by what holds now where a reorg took it back, and told anew where it came again", async () => {
    await apply(12n, 2n * WAD);
    await write();
    await undo();
    await write();
    await apply(12n, 2n * WAD);
    await write();
    await undo();
    await apply(13n, 3n * WAD);
    await move(13n, 10n);
    await write();
    const events = await told(present(callers[0], "a caller"));
    expect(events.map(({ data }) => (data as { newMultiplier: string }).newMultiplier)).toEqual([
      "2",
      "1",
      "2",
      "3",
    ]);
    expect(events.map(({ retracts }) => retracts)).toEqual([
      null,
      events[0]?.eventId,
      null,
      events[2]?.eventId,
    ]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(4);
  });

  it("is told once where a reorg put another one in its place: in its block, at its index", async () => {
    await apply(12n, 2n * WAD);
    await write();
    await undo();
    await apply(12n, 3n * WAD);
    for (let runs = 0; runs < 2; runs++) await write();
    const events = await told(present(callers[0], "a caller"));
    expect(events.map(({ data }) => (data as { newMultiplier: string }).newMultiplier)).toEqual(["2", "3"]);
    expect(events[1]?.retracts).toBe(events[0]?.eventId);
  });

  it("is history where it was final before the log began", async () => {
    await empty(features.deps.pool, ...PROJECTED);
    await apply(9n, 2n * WAD);
    await write();
    expect(await told(present(callers[0], "a caller"))).toEqual([]);
  });
});

describe("a delegation", () => {
  const block = { number: 12n, timestamp: 1_799_000_012n };
  const HASH = hex(32, 0x1c7);
  const user = present(USERS[0], "a user");
  const caller = () => present(callers[2], "the caller that is bound to the user");
  const told = async () => (await readEvents(caller(), { types: "delegation.*", limit: "100" })).rows;
  const index = (delegatee: typeof user | null, nonce: bigint) =>
    onchain.insert("delegation", {
      chainId: CHAIN_ID,
      productType: PRODUCT,
      userAddress: user,
      delegatee,
      nonce,
      txHash: HASH,
    });
  const unindex = () => features.deps.pool.query("DELETE FROM onchain.delegation");
  const mined = { minedBlock: 12n, minedBlockHash: hex(32, 1), minedSuccess: true, minedFiller: false };
  let enableId: string;

  beforeEach(async () => {
    const { pool } = features.deps;
    await empty(pool, "app.delegation");
    await unindex();
    await onchain.replace(CHAIN_ID, { stockOrder: [], cashOperation: [] }, block, { ...block, number: 10n });
    await write();
    await createWallet(pool, WALLET);
    await createDelegations(pool, caller(), WALLET, user);
    const { rows } = await pool.query("SELECT epoch FROM app.delegation");
    [enableId = ""] = await createSends(pool, caller(), {
      wallet: WALLET,
      userAddress: user,
      operation: "1ct/enable",
      operationKey: `enable:${user}:0`,
      delegationEpoch: rows[0].epoch,
      state: "broadcast",
      nonce: 1n,
      txHash: HASH,
    });
    await confirmEnable();
  });

  const confirmEnable = async () => {
    await features.deps.pool.query(
      `UPDATE app.send_request SET state = 'mined', mined_block = 12, mined_block_hash = $2, mined_success = true,
         mined_filler = false WHERE request_id = $1`,
      [enableId, mined.minedBlockHash],
    );
  };

  it("is told to the key that enabled it once the index shows it, and no other, and nothing twice", async () => {
    await write();
    expect(await told()).toEqual([]);
    await index(WALLET, 1n);
    await write();
    await write();
    expect(await told()).toMatchObject([
      {
        type: "delegation.enabled",
        resource: "1ct/status",
        txHash: HASH,
        retracts: null,
        data: {
          status: "enable",
          delegatee: getAddress(WALLET),
          userAddress: getAddress(user),
          nonce: 1,
          txHash: HASH,
        },
      },
    ]);
    for (const other of callers.slice(0, 2))
      expect((await readEvents(other, { types: "delegation.*" })).rows).toEqual([]);
    await expectObjects();
  });

  it("is told of as disabled where it is blocked here", async () => {
    await index(WALLET, 1n);
    await write();
    await features.deps.pool.query("UPDATE app.delegation SET blocked = true, epoch = epoch + 1");
    await write();
    expect((await told()).map(({ type }) => type)).toEqual(["delegation.enabled", "delegation.disabled"]);
  });

  it("is told of as disabled where its user ends it on the chain, and as enabled where a reorg undoes that", async () => {
    await index(WALLET, 1n);
    await write();
    await unindex();
    await index(null, 2n);
    await write();
    await unindex();
    await index(WALLET, 1n);
    await write();
    await unindex();
    await write();
    const events = await told();
    expect(events.map(({ type }) => type)).toEqual([
      "delegation.enabled",
      "delegation.disabled",
      "delegation.enabled",
      "delegation.disabled",
    ]);
    expect(events.map(({ retracts }) => retracts)).toEqual([
      null,
      null,
      events[1]?.eventId,
      events[2]?.eventId,
    ]);
    expect(events[3]).toMatchObject({ data: { status: "disabled", nonce: 0 } });
  });
});

// Last: it makes the indexes that the indexer's tables have.
describe("a chain with many orders that are final", () => {
  const FINAL = 600;
  const OPEN = 10;
  const orderOf = (n: number): Row<"stockOrder"> => {
    const block = n < FINAL ? 12n : 30n;
    return {
      chainId: CHAIN_ID,
      productType: PRODUCT,
      orderId: hex(32, 0xabc000 + n),
      txHash: hex(32, 0x1000 + n),
      blockNumber: block,
      updatedBlock: block,
      userAddress: hex(20, 0xa1),
      stockAddress: hex(20, 0x571),
      side: "Buy",
      orderType: "Limit",
      status: "open",
    };
  };

  it("costs the log what is not final, and not what is there", async () => {
    const block = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });
    const { pool } = features.deps;
    await onchain.replace(CHAIN_ID, { stockOrder: [] }, block(10n), block(10n));
    await write();
    const orders = Array.from({ length: FINAL + OPEN }, (_, n) => orderOf(n));
    const caller = present(callers[0], "a caller");
    await createClaims(
      pool,
      caller,
      orders.map(({ txHash }) => ({ txHash: present(txHash, "a hash") })),
    );
    await onchain.replace(CHAIN_ID, { stockOrder: orders }, block(30n), block(20n));
    await write();
    await pool.query("UPDATE app.event_chain SET verified_block = 20");
    await indexOnchain(pool);
    const { deps: recorded, statements } = recordStatements(deps);
    await createEventWriter(recorded, { verifyMs: 0 })(CHAIN_ID);
    expect(statements).toHaveLength(3);
    expect(await mostRowsRead(pool, statements)).toBeLessThan(10 * OPEN);
  });
});
