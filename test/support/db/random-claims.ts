import type pg from "pg";
import type { Caller } from "../../../src/auth/caller.ts";
import { OPERATION_TYPES } from "../../../src/protocol/enums.ts";
import { hex } from "../assert/sample.ts";
import type { SeededRandom } from "../assert/seeded-random.ts";
import { createAttributions, createClaim, createInvalidAttributions } from "./builders/claims.ts";
import { carriesSuffix, type RandomChain, USERS } from "./random-chain.ts";

type Scope = Pick<Caller, "keyId" | "chainId" | "productType">;

/** Creates random claims of every kind, also late ones and second uses of a suffix, and changes their states. */
export function createRandomClaims(
  pool: pg.Pool,
  callers: readonly Scope[],
  { random, chain }: { random: SeededRandom; chain: RandomChain },
) {
  const txHash = () => {
    if (chain.transactions.length > 0 && random.chance(0.8)) return random.of(chain.transactions);
    const made = hex(32, 0xdef000 + random.below(2 ** 30));
    if (random.chance(0.5)) chain.transactions.push(made);
    return made;
  };
  const add = async () => {
    const caller = random.of(callers);
    const wanted = random.of(["recorded", "attributed", "send"] as const);
    const hash = wanted === "send" && random.chance(0.3) ? null : txHash();
    const source = wanted === "attributed" && !(hash && carriesSuffix(hash)) ? "recorded" : wanted;
    const createdAt = new Date(chain.nowMs() + random.below(20_000));
    const operationType = random.of([...OPERATION_TYPES, "trade", "trade", "trade", "trade"] as const);
    const made = await createClaim(pool, caller, {
      source,
      operationType,
      txHash: hash,
      createdAt,
      updatedAt: createdAt,
      beforeFinal: random.chance(0.5),
      ruleVersion: random.chance(0.3) ? null : 2,
      userAddress: source === "recorded" ? null : random.chance(0.8) ? random.of(USERS) : null,
      clientOrderId: source === "send" && operationType === "trade" ? `order-${random.below(9)}` : null,
      attributionNonce: source === "attributed" ? hex(16, random.below(6)) : null,
    }).catch(ignoreDuplicate);
    // A record from before that column.
    if (made && random.chance(0.3))
      await pool.query("UPDATE app.transaction_claim SET bound_user_address = NULL WHERE claim_id = $1", [
        made,
      ]);
    if (source === "attributed" && hash) await createAttributions(pool, caller, hash).catch(ignoreDuplicate);
    if (chain.transactions.length > 0 && random.chance(0.3))
      await createInvalidAttributions(pool, caller.chainId, random.of(chain.transactions)).catch(
        ignoreDuplicate,
      );
  };
  const change = (assignment: string, condition: string) =>
    pool.query(
      `UPDATE app.transaction_claim SET ${assignment}, updated_at = $1 WHERE claim_id IN (
         SELECT c.claim_id FROM app.transaction_claim c WHERE ${condition} ORDER BY md5(c.claim_id::text || $2) LIMIT 1)
       RETURNING tx_hash`,
      [new Date(chain.nowMs()), String(random.below(1000))],
    );
  const revert = async () => {
    const { rows } = await change("state = 'reverted'", `c.state = 'pending' AND (${unmined})`);
    if (rows[0]?.tx_hash) chain.fail(rows[0].tx_hash);
  };
  const unmined = `c.tx_hash IS NULL OR NOT EXISTS (SELECT 1 FROM (SELECT tx_hash FROM onchain.stock_order
      UNION ALL SELECT tx_hash FROM onchain.cash_operation UNION ALL SELECT tx_hash FROM onchain.stock_operation) o
    WHERE o.tx_hash = c.tx_hash)`;
  const changes = [
    () => change("state = 'final'", "c.state = 'pending'"),
    revert,
    () => change("state = 'dropped'", "c.state = 'pending' AND c.source <> 'send'"),
    () => change("state = 'pending'", "c.state = 'dropped'"),
    () => change("source = 'attributed'", "c.source = 'recorded'"),
    () => change("source = 'recorded', attribution_nonce = NULL", "c.source = 'attributed'"),
    () => change("created_at = $1, before_final = false, rule_version = 2", "c.source = 'recorded'"),
    () =>
      change(`tx_hash = '${txHash()}'`, "c.source = 'send' AND c.state = 'pending'").catch(ignoreDuplicate),
  ];
  /** Drops claims to final transactions that did nothing of their kind, as the worker does. */
  const watch = () =>
    pool.query(
      `UPDATE app.transaction_claim c SET state = 'dropped', updated_at = $2 WHERE state = 'pending' AND tx_hash IN (
         SELECT o.tx_hash FROM (SELECT tx_hash, block_number FROM onchain.stock_order UNION ALL
           SELECT tx_hash, block_number FROM onchain.cash_operation UNION ALL
           SELECT tx_hash, block_number FROM onchain.stock_operation) o WHERE o.block_number <= $1)
       AND NOT EXISTS (SELECT 1 FROM (SELECT tx_hash, product_type, 'trade' AS kind FROM onchain.stock_order UNION ALL
           SELECT tx_hash, product_type, kind FROM onchain.cash_operation WHERE order_id IS NULL UNION ALL
           SELECT tx_hash, product_type, kind FROM onchain.stock_operation) o
         WHERE o.tx_hash = c.tx_hash AND o.product_type = c.product_type AND o.kind = c.operation_type::text)`,
      [chain.safe, new Date(chain.nowMs())],
    );
  const bind = ({ keyId }: Pick<Scope, "keyId">, user: string | null) =>
    pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [keyId, user]);
  /** Binds one of some keys to another user, or to none. */
  const rebind = (of = callers) => bind(random.of(of), random.chance(0.3) ? null : random.of(USERS));
  /** Binds some keys to nobody. */
  const unbind = (of = callers) => Promise.all(of.map((key) => bind(key, null)));
  return { add, watch, rebind, unbind, change: () => random.of(changes)() };
}

function ignoreDuplicate(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "23505")) throw error;
}
