import { beforeEach, describe, expect, it } from "@jest/globals";
import { DISTRIBUTIONS } from "../../src/events/distributions.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createDelegations, createSends, createWallet } from "../support/db/builders/sends.ts";
import { hookedPool } from "../support/db/hooked-pool.ts";
import { CHAIN_ID, STOCKS, USERS } from "../support/db/random-chain.ts";
import { PRODUCT } from "../support/http/features.ts";
import { useLog } from "./log-fixture.ts";
import { WALLET } from "./random-sends.ts";
import { orderOf, publisher, TX } from "./rows-fixture.ts";

// The number of statements of a step, with BEGIN and COMMIT, once rows are filled and without a reorg.

const { features, onchain, deps, callers, readEvents } = await useLog();
const { pool } = features.deps;
const publish = publisher(onchain);
const caller = present(callers[0], "a caller");
const bound = present(callers[2], "the caller that is bound to a user");
const user = present(USERS[0], "a user");
const SCOPE = { chainId: CHAIN_ID, productType: PRODUCT };
const HASH = hex(32, 0x5e4d);

let statements = 0;
const counted = hookedPool(pool, async () => {
  statements += 1;
});
/** Never compares all that is not final. */
const run = createEventWriter({ ...deps, pool: counted }, { verifyMs: 3_600_000 });

/** Returns how many statements one step takes, and what it reports. */
async function step(through = run): Promise<[statements: number, ...types: string[]]> {
  const { rows: before } = await pool.query("SELECT coalesce(max(position), 0) AS position FROM app.event");
  statements = 0;
  expect(await through(CHAIN_ID)).toEqual({ complete: true });
  const { rows } = await pool.query("SELECT DISTINCT type FROM app.event WHERE position > $1 ORDER BY type", [
    before[0].position,
  ]);
  return [statements, ...rows.map(({ type }) => type)];
}

const blockAt = (number: bigint) => ({
  eventBlock: [{ chainId: CHAIN_ID, number, hash: hex(32, Number(number)) }],
});

describe("the statements of a step", () => {
  beforeEach(async () => {
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
    await publish(10n, {});
    for (const txHash of [TX, HASH])
      await createClaim(pool, caller, { txHash, source: txHash === TX ? "recorded" : "send" });
    while (!(await run(CHAIN_ID)).complete);
  });

  it("are four where nothing is new, and one more where the block is", async () => {
    expect({ step: await step() }).toEqual({ step: [4] });
    await publish(11n, blockAt(11n));
    expect({ step: await step() }).toEqual({ step: [5] });
  });

  it("are nine with a changed order", async () => {
    await publish(11n, { stockOrder: [orderOf(0, 11n)], ...blockAt(11n) });
    expect(await step()).toEqual([9, "order.placed"]);
  });

  it("are two for requests to send, and none for claims", async () => {
    await createWallet(pool, WALLET);
    const { rows } = await pool.query("SELECT claim_id FROM app.transaction_claim WHERE source = 'send'");
    const options = { wallet: WALLET, userAddress: user, claimId: rows[0].claim_id, nonce: 1n, txHash: HASH };
    await createSends(pool, caller, { ...options, state: "signed" });
    await step();
    await pool.query("UPDATE app.send_request SET state = 'broadcast'");
    expect(await step()).toEqual([7, "send.submitted"]);
  });

  it("are one for delegations", async () => {
    await createWallet(pool, WALLET);
    await createDelegations(pool, bound, WALLET, user);
    const { rows } = await pool.query("SELECT epoch FROM app.delegation");
    await createSends(pool, bound, {
      wallet: WALLET,
      userAddress: user,
      operation: "1ct/enable",
      operationKey: `enable:${user}:0`,
      delegationEpoch: rows[0].epoch,
      state: "broadcast",
      nonce: 2n,
      txHash: hex(32, 0x1c7),
    });
    await step();
    await onchain.insert("delegation", {
      ...SCOPE,
      userAddress: user,
      delegatee: WALLET,
      nonce: 1n,
      txHash: hex(32, 0x1c7),
    });
    await pool.query(
      `UPDATE app.send_request SET state = 'mined', mined_block = 10, mined_block_hash = $1, mined_success = true,
         mined_filler = false`,
      [hex(32, 1)],
    );
    expect(await step()).toEqual([8, "delegation.enabled", "send.confirmed"]);
  });

  const split = () => ({
    ...SCOPE,
    tokenAddress: present(STOCKS[0], "a stock"),
    blockNumber: 11n,
    logIndex: 1,
    oldMultiplier: 1n,
    newMultiplier: 2n,
    txHash: hex(32, 0x5b117),
    timestamp: 1n,
  });

  it("are two for distributions, and one for a page of their users", async () => {
    const distributing = createEventWriter(
      { ...deps, pool: counted },
      { verifyMs: 3_600_000, moreSources: [DISTRIBUTIONS] },
    );
    while (!(await distributing(CHAIN_ID)).complete);
    const change = split();
    await onchain.insert("multiplierChange", change);
    await onchain.insert("distribution", { ...change, userAddress: user, available: 1n });
    await publish(11n, blockAt(11n));
    expect(await step(distributing)).toEqual([8, "corporate_action.applied", "distribution.applied"]);
    expect(await step(distributing)).toEqual([4]);
  });

  it("are one for corporate actions, however many keys there are", async () => {
    await onchain.insert("multiplierChange", split());
    await publish(11n, blockAt(11n));
    expect(await step()).toEqual([6, "corporate_action.applied"]);
    for (const { keyId, ...one } of callers) {
      const { rows } = await readEvents({ keyId, ...one }, { types: "corporate_action.applied" });
      expect({ keyId, rows }).toEqual({ keyId, rows: [expect.anything()] });
    }
  });
});
