import type { Covering, Mutant } from "../mutant.ts";

// Canceling many orders, switches that cancel them, and distributions as events.

const SWITCH = "prisma/migrations/20261127000110_cancel_after/migration.sql";
const SWITCHES = "src/sending/outbox/cancel-after-store.ts";
const BATCHES = "src/sending/outbox/batch-store.ts";
const DISTRIBUTIONS = "src/events/distributions.ts";

const switches: Covering = { file: "test/orders/cancel-after.integration.test.ts" };
const many: Covering = { file: "test/orders/cancel-many.integration.test.ts" };
const distributions: Covering = { file: "test/events/distributions.integration.test.ts" };

type Short = Omit<Mutant, "file" | "tests">;
const of = (file: string, covering: Covering, mutants: readonly Short[]): Mutant[] =>
  mutants.map((mutant) => ({ ...mutant, file, tests: [covering] }));

export const PARTNER_TOOLS: readonly Mutant[] = [
  ...of(SWITCH, switches, [
    {
      id: "switch-time",
      title: "a switch that was renewed while a worker prepared its cancels writes none",
      find: `\n        AND c."cancel_at" <= clock_timestamp() FOR UPDATE`,
      replace: " FOR UPDATE",
    },
    {
      id: "switch-epoch",
      title: "a delegation that ended while a worker prepared writes none",
      find: `AND d."epoch" = "epoch_read" AND NOT d."blocked" FOR SHARE`,
      replace: "FOR SHARE",
    },
    {
      id: "switch-owner",
      title: "a switch cancels no order of another key",
      find: `ON o."key_id" = "owner" AND o."chain_id"`,
      replace: `ON o."chain_id"`,
    },
    {
      id: "switch-open",
      title: "a switch cancels open limit orders alone",
      find: ` AND o."order_type" = 'Limit' AND o."on_chain_status" = 'open'`,
      replace: "",
    },
    {
      id: "switch-call",
      title: "the call that a switch writes names its order",
      find: `WHERE substr(s."callData", 3 + 2 * 104, 64) = substr(s."orderId", 3)`,
      replace: "WHERE true",
    },
    {
      id: "switch-disarm",
      title: "a switch that was carried out is disarmed",
      find: `SET "cancel_at" = NULL, "fired_at"`,
      replace: `SET "fired_at"`,
    },
  ]),
  ...of(SWITCHES, switches, [
    {
      id: "switch-due",
      title: "a switch is carried out once its time has passed",
      find: "WHERE c.cancel_at <= clock_timestamp() AND c.chain_id",
      replace: "WHERE c.chain_id",
      survives:
        "the function that writes the cancels looks at the time again: the worker prepares them in vain",
    },
    {
      id: "switch-halt",
      title: "a switch waits while its chain is halted",
      find: "\n      AND NOT EXISTS (SELECT FROM app.sending_halt h WHERE h.chain_id = c.chain_id)",
      replace: "",
    },
    {
      id: "switch-revoked",
      title: "a revoked key's switch cancels nothing",
      find: "k.revoked_at IS NOT NULL OR NOT EXISTS",
      replace: "NOT EXISTS",
    },
  ]),
  ...of(BATCHES, many, [
    {
      id: "batch-owner",
      title: "a set of orders belongs to one key",
      find: "FROM app.cancel_batch\n    WHERE key_id = ${keyId} AND chain_id",
      replace: "FROM app.cancel_batch\n    WHERE ${keyId}::uuid IS NOT NULL AND chain_id",
    },
    {
      id: "batch-key",
      title: "each Idempotency-Key has a set of its own",
      find: "\n      AND idempotency_key = ${idempotencyKey}`;",
      replace: "\n      AND ${idempotencyKey}::text IS NOT NULL`;",
    },
    {
      id: "batch-conflict",
      title: "of calls at once under one Idempotency-Key, one writes the set",
      find: "${more})\n    ON CONFLICT DO NOTHING`;",
      replace: "${more})`;",
    },
  ]),
  ...of(DISTRIBUTIONS, distributions, [
    {
      id: "distribution-history",
      title: "a change that was final before is no event",
      find: "AND o.block_number > coalesce(s.after_block, ${final})::numeric",
      replace: "AND ${final} IS NOT NULL",
    },
    {
      id: "distribution-block-hash",
      title: "a reorg that keeps the change has its holders compared again",
      find: "concat_ws(' ', o.block_number, o.log_index, b.hash)",
      replace: "concat_ws(' ', o.block_number, o.log_index)",
    },
    {
      id: "distribution-row-hash",
      title: "a holding that a reorg changed is reported again",
      find: " AND m.row_hash = md5(d::text)::uuid`;",
      replace: "`;",
    },
    {
      id: "distribution-key",
      title: "each key of a user gets the event",
      find: "NOT EXISTS (SELECT 1 FROM app.event_distribution m WHERE m.key_id = p.key_id AND ${isSame})",
      replace: "NOT EXISTS (SELECT 1 FROM app.event_distribution m WHERE ${isSame})",
    },
    {
      id: "distribution-bound",
      title: "a key gets those of the user that it is bound to, without an order of theirs",
      find: "WHERE k.key_id = p.key_id AND k.user_address > p.user_address`",
      replace: "WHERE k.key_id = p.key_id AND false`",
    },
    {
      id: "distribution-operations",
      title: "a key gets those of users of its operations",
      find: 'next("key_operation", sql`r.kind = ${kind}`)',
      replace: 'next("key_operation", sql`r.kind = ${kind} AND false`)',
    },
    {
      id: "distribution-told",
      title: "a user of whom the key has nothing left gets the withdrawal of what was reported",
      find: 'next("event_distribution", sql`r.token_address = ${tokenAddress}`)',
      replace: 'next("event_distribution", sql`r.token_address = ${tokenAddress} AND false`)',
    },
    {
      id: "distribution-replaced",
      title: "a distribution in the place of one that a reorg took out is remembered",
      find: "(SELECT count(*) FROM distributions_undone) u\n      CROSS JOIN ",
      replace: "",
    },
    {
      id: "distribution-left",
      title: "what is left after a page is found by the next step",
      find: "complete ? remember : [...remember, dueItem(chainId)]",
      replace: "remember",
    },
    {
      id: "distribution-removed",
      title: "a scan is removed with the last of its reports",
      find: "AND (SELECT count(*) FROM distributions_removed) < ${raw(String(PAGE))}",
      replace: "",
    },
  ]),
];
