import type pg from "pg";
import type { Hex } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { hex } from "../support/assert/sample.ts";
import type { SeededRandom } from "../support/assert/seeded-random.ts";
import { createDelegations, createSends } from "../support/db/builders/sends.ts";
import type { Onchain } from "../support/db/onchain.ts";
import { CHAIN_ID, type RandomChain, STOCKS } from "../support/db/random-chain.ts";
import { PRODUCT } from "../support/http/features.ts";
import { WALLET } from "./random-sends.ts";

/** Random changes other than orders: multipliers change with blocks, and a user's delegation begins and ends. */

const WAD = 10n ** 18n;
const SCOPE = { chainId: CHAIN_ID, productType: PRODUCT };

interface Random {
  random: SeededRandom;
  chain: RandomChain;
}

export function createRandomMultipliers(pool: pg.Pool, onchain: Onchain, { random, chain }: Random) {
  let changes = 0;
  const apply = async () => {
    // A block that is final has no events that were not there before.
    if (chain.latest <= chain.safe) return;
    await onchain.insert("multiplierChange", {
      ...SCOPE,
      tokenAddress: random.of(STOCKS),
      blockNumber: BigInt(chain.latest),
      logIndex: changes++,
      oldMultiplier: WAD,
      newMultiplier: WAD * BigInt(2 + random.below(5)),
      timestamp: 1n,
      txHash: hex(32, 0x5b117000 + random.below(2 ** 20)),
    });
    await follow();
  };
  /** Takes out what a reorg took out, and has tokens show the last change that is left. */
  const follow = async () => {
    await pool.query("DELETE FROM onchain.multiplier_change WHERE block_number > $1", [chain.latest]);
    await pool.query(
      `UPDATE onchain.stock_token t SET multiplier = coalesce((
         SELECT m.new_multiplier FROM onchain.multiplier_change m WHERE m.token_address = t.token_address
         ORDER BY m.block_number DESC, m.log_index DESC LIMIT 1), $1::numeric)`,
      [String(WAD)],
    );
  };
  const begin = async () => {
    await pool.query("DELETE FROM onchain.multiplier_change");
    await follow();
  };
  return { begin, apply, follow };
}

/** Simulates the delegation of a key's user. The key enables it before the event log reports it. */
export function createRandomDelegation(
  pool: pg.Pool,
  onchain: Onchain,
  { caller, user, random }: { caller: Caller; user: Hex; random: SeededRandom },
) {
  const state = { onChain: false, blocked: false };
  const begin = async () => {
    await pool.query("DELETE FROM onchain.delegation");
    await createDelegations(pool, caller, WALLET, user);
    const { rows } = await pool.query("SELECT epoch FROM app.delegation");
    const [requestId] = await createSends(pool, caller, {
      wallet: WALLET,
      userAddress: user,
      operation: "1ct/enable",
      operationKey: `enable:${user}:0`,
      delegationEpoch: rows[0].epoch,
      state: "broadcast",
      nonce: 1_000_000n,
      txHash: hex(32, 0x1c7),
    });
    await pool.query(
      `UPDATE app.send_request SET state = 'mined', mined_block = 1, mined_block_hash = $2, mined_success = true,
         mined_filler = false WHERE request_id = $1`,
      [requestId, hex(32, 1)],
    );
  };
  const change = async () => {
    if (random.chance(0.3)) {
      state.blocked = !state.blocked;
      await pool.query("UPDATE app.delegation SET blocked = $1", [state.blocked]);
      return;
    }
    const nonce = random.of([0n, 1n, 2n]);
    state.onChain = nonce === 1n;
    const delegatee = state.onChain ? WALLET : null;
    await pool.query("DELETE FROM onchain.delegation");
    if (nonce === 0n) return;
    await onchain.insert("delegation", {
      ...SCOPE,
      userAddress: user,
      delegatee,
      nonce,
      txHash: hex(32, 0x1c7),
    });
  };
  return { begin, change, isEnabled: () => state.onChain && !state.blocked };
}
