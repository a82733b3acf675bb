import type { Covering, Mutant } from "../mutant.ts";

const at = (name: string): string => `prisma/migrations/${name}/migration.sql`;
const INITIAL = at("20261121000000_initial");
const SENDING = at("20261121010000_sending");
const USAGE = at("20261121110000_key_usage");
const ROTATION = at("20261121111000_secret_rotation");
const OWN_ROTATION = at("20261126150000_own_rotation");
const ATTRIBUTION = at("20261121130000_transaction_attribution");

const BOUND = at("20261124150000_bound_user");
const TOTALS = at("20261123165000_daily_totals");
const SIGNED = at("20261124131000_signed_totals");

const rebinding: Covering = { file: "test/claims/rebinding.integration.test.ts" };
const authenticate: Covering = { file: "test/auth/authenticate.integration.test.ts" };
const keys: Covering = { file: "test/auth/keys-admin.integration.test.ts" };
const limits: Covering = { file: "test/auth/shared-limits.integration.test.ts" };
const rotation: Covering = { file: "test/auth/rotation.integration.test.ts" };
const ownRotation: Covering = { file: "test/key/rotate.integration.test.ts" };
const outbox: Covering = {
  file: "test/sending/outbox/outbox.integration.test.ts",
  name: "^a request is written",
};
const cap: Covering = { file: "test/sending/outbox/outbox.integration.test.ts", name: "^under a daily cap" };
const sends: Covering = { file: "test/events/log-others.integration.test.ts", name: "^a request to send" };
const signedTotals: Covering = {
  file: "test/sending/sender/policy.integration.test.ts",
  name: "^under a daily cap",
};
const guards: Covering = { file: "test/sending/outbox/guards.integration.test.ts" };

/** Columns of the reply to a request, whose changes are reported. */
const REPLY = ["state", "tx_hash", "mined_success", "mined_filler", "outcome", "err_code", "revert"];
const comparison = (columns: readonly string[]) => {
  const row = (alias: string) => `(${columns.map((column) => `${alias}."${column}"`).join(", ")})`;
  return `${row("o")}\n            IS DISTINCT FROM ${row("n")}`;
};
/** The other columns change only together with one of these or with each other. */
const toldSends = ["tx_hash", "mined_success", "mined_filler", "err_code", "revert"].map((column) => ({
  id: `send-told-${column.replaceAll("_", "-")}`,
  file: at("20261122220004_delegation_events"),
  title: `a request to send is told of again where its ${column} changes`,
  find: comparison(REPLY),
  replace: comparison(REPLY.filter((each) => each !== column)),
  tests: [sends],
}));

/** A constraint, trigger or index that the programs rest on. */
export const MIGRATIONS: readonly Mutant[] = [
  {
    id: "signed-total-counts",
    file: SIGNED,
    title: "what is signed is added to the total of its key's day",
    find: '"total" = "total" + coalesce(NEW."signed_notional", NEW."notional")',
    replace: '"total" = "total"',
    tests: [signedTotals],
  },
  {
    id: "signed-total-own-value",
    file: SIGNED,
    title: "what is signed counts at the worker's value",
    find: '"total" + coalesce(NEW."signed_notional", NEW."notional")',
    replace: '"total" + coalesce(NEW."notional", NEW."signed_notional")',
    tests: [signedTotals],
  },
  {
    id: "signed-total-old-worker",
    file: SIGNED,
    title: "what is signed without a value of the worker's own counts as the api valued it",
    find: 'coalesce(NEW."signed_notional", NEW."notional")\n    WHERE',
    replace: 'coalesce(NEW."signed_notional", 0)\n    WHERE',
    tests: [signedTotals],
  },
  {
    id: "own-rotation-seen",
    file: OWN_ROTATION,
    title: "a key that changed since the request was checked is not rotated",
    find: 'k."revision" IS DISTINCT FROM "seen" OR ',
    replace: "",
    tests: [ownRotation],
  },
  {
    id: "own-rotation-lock",
    file: OWN_ROTATION,
    title: "rotations of a key come one after the other",
    find: 'WHERE o."key_id" = "key" FOR UPDATE',
    replace: 'WHERE o."key_id" = "key"',
    tests: [ownRotation],
  },
  {
    id: "own-rotation-access",
    file: OWN_ROTATION,
    title: "the api rotates no READ_ONLY key",
    find: " OR k.\"access\" <> 'WRITABLE'",
    replace: "",
    tests: [ownRotation],
  },
  {
    id: "own-rotation-bounds",
    file: OWN_ROTATION,
    title: "the api gives no overlap out of bounds",
    find: "NOT BETWEEN 300 AND 604800",
    replace: "NOT BETWEEN 0 AND 9604800",
    tests: [ownRotation],
  },
  {
    id: "own-rotation-limit",
    file: OWN_ROTATION,
    title: "a key rotates five times an hour at most",
    find: "OFFSET 4 LIMIT 1",
    replace: "OFFSET 5 LIMIT 1",
    tests: [ownRotation],
  },
  {
    id: "own-rotation-operators",
    file: OWN_ROTATION,
    title: "the operator's rotations do not count for a key's limit",
    find: ' AND a."actor" = k."api_key"',
    replace: "",
    tests: [ownRotation],
  },
  {
    id: "own-rotation-end",
    file: OWN_ROTATION,
    title: "a rotation by the previous secret does not prolong it",
    find: '"at" := least("at", k."previous_secret_until");',
    replace: "",
    tests: [ownRotation],
  },
  {
    id: "own-rotation-signer",
    file: OWN_ROTATION,
    title: "the secret that signed a rotation is kept",
    find: 'IF "by_previous" THEN',
    replace: "IF false THEN",
    tests: [ownRotation],
  },
  {
    id: "bind-record",
    file: BOUND,
    title: "the user of a record's key is stored with it, whoever makes it",
    find: 'WHEN (NEW."source" = \'recorded\' AND NEW."bound_user_address" IS NULL)',
    replace: "WHEN (false)",
    tests: [rebinding],
  },
  {
    id: "bind-record-made",
    file: BOUND,
    title: "a claim that becomes a record has the user of then",
    find: '(OLD."source" <> \'recorded\' OR OLD."created_at"',
    replace: '(OLD."created_at"',
    tests: [rebinding],
  },
  {
    id: "bind-record-anew",
    file: BOUND,
    title: "a record that is made anew has the user of then",
    find: ' OR OLD."created_at" <> NEW."created_at"))',
    replace: "))",
    tests: [rebinding],
  },
  {
    id: "bind-record-changed",
    file: BOUND,
    title: "a record that is not made anew keeps its user",
    find: 'AND (OLD."source" <> \'recorded\' OR OLD."created_at" <> NEW."created_at"))',
    replace: ")",
    tests: [rebinding],
  },
  {
    id: "bind-keep",
    file: BOUND,
    title: "a record from before the user was stored keeps it when another is bound to its key",
    find: 'WHEN (OLD."user_address" IS DISTINCT FROM NEW."user_address")',
    replace: "WHEN (false)",
    tests: [rebinding],
  },
  {
    id: "bind-keep-key",
    file: BOUND,
    title: "records of other keys are left as they are",
    find: 'WHERE "key_id" = OLD."key_id" AND "source"',
    replace: 'WHERE "source"',
    tests: [rebinding],
  },
  {
    id: "bind-keep-records",
    file: BOUND,
    title: "what is no record is left as it is",
    find: 'AND "source" = \'recorded\' AND "bound_user_address" IS NULL',
    replace: 'AND "bound_user_address" IS NULL',
    tests: [rebinding],
  },
  {
    id: "bind-keep-first",
    file: BOUND,
    title: "a stored user stays",
    find: ' AND "bound_user_address" IS NULL;',
    replace: ";",
    tests: [rebinding],
  },
  {
    id: "nonce-unique",
    file: INITIAL,
    title: "a nonce is consumed once",
    find: '    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,\n\n    CONSTRAINT "api_nonce_pkey" PRIMARY KEY ("key_id","nonce")\n',
    replace: '    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP\n',
    tests: [limits],
  },
  {
    id: "key-revision",
    file: INITIAL,
    title: "every change of a key counts its revision up",
    find: "NEW.revision := OLD.revision + 1;",
    replace: "NEW.revision := OLD.revision;",
    tests: [authenticate],
  },
  {
    id: "key-scope-revision",
    file: INITIAL,
    title: "a change of a key's scopes counts its revision up",
    find: 'CREATE TRIGGER "api_key_scope_revision" AFTER INSERT OR UPDATE OR DELETE',
    replace: 'CREATE TRIGGER "api_key_scope_revision" AFTER INSERT',
    tests: [authenticate],
  },
  {
    id: "key-ip-revision",
    file: INITIAL,
    title: "a change of a key's whitelist counts its revision up",
    find: 'CREATE TRIGGER "api_key_ip_revision" AFTER INSERT OR UPDATE OR DELETE',
    replace: 'CREATE TRIGGER "api_key_ip_revision" AFTER INSERT',
    tests: [authenticate],
  },
  {
    id: "key-revoked-check",
    file: INITIAL,
    title: "a revoked key is never active again",
    find: 'CHECK (NOT ("active" AND "revoked_at" IS NOT NULL))',
    replace: "CHECK (true)",
    tests: [keys],
  },
  {
    id: "claim-lower-case",
    file: INITIAL,
    title: "hashes of claims are lower case",
    find: `CONSTRAINT "transaction_claim_tx_hash_check" CHECK ("tx_hash" ~ '^0x[0-9a-f]{64}$')`,
    replace: 'CONSTRAINT "transaction_claim_tx_hash_check" CHECK (true)',
    tests: [guards],
  },
  {
    id: "request-idempotency-unique",
    file: SENDING,
    title: "an Idempotency-Key stands for one request",
    find: 'CREATE UNIQUE INDEX "send_request_key_id_chain_id_product_type_idempotency_key_key"',
    replace: 'CREATE INDEX "send_request_key_id_chain_id_product_type_idempotency_key_key"',
    tests: [outbox],
  },
  {
    id: "request-client-order-unique",
    file: SENDING,
    title: "a clientOrderId stands for one request",
    find: 'CREATE UNIQUE INDEX "send_request_key_id_chain_id_product_type_client_order_id_key"',
    replace: 'CREATE INDEX "send_request_key_id_chain_id_product_type_client_order_id_key"',
    tests: [outbox],
  },
  {
    id: "request-operation-unique",
    file: SENDING,
    title: "an operation runs once at a time",
    find: 'CREATE UNIQUE INDEX "send_request_chain_id_product_type_operation_key_key"',
    replace: 'CREATE INDEX "send_request_chain_id_product_type_operation_key_key"',
    tests: [outbox],
  },
  {
    id: "request-nonce-unique",
    file: SENDING,
    title: "a wallet's nonce belongs to one request",
    find: 'CREATE UNIQUE INDEX "send_request_chain_id_wallet_nonce_key"',
    replace: 'CREATE INDEX "send_request_chain_id_wallet_nonce_key"',
    tests: [guards],
  },
  {
    id: "request-claim-unique",
    file: SENDING,
    title: "a claim belongs to one request",
    find: 'CREATE UNIQUE INDEX "send_request_claim_id_key"',
    replace: 'CREATE INDEX "send_request_claim_id_key"',
    tests: [guards],
  },
  {
    id: "attempt-hash-unique",
    file: SENDING,
    title: "signed bytes belong to one attempt",
    find: 'CREATE UNIQUE INDEX "send_attempt_tx_hash_key"',
    replace: 'CREATE INDEX "send_attempt_tx_hash_key"',
    tests: [guards],
  },
  {
    id: "attempt-nonce-foreign-key",
    file: SENDING,
    title: "every attempt of a request has the request's nonce",
    find: 'ALTER TABLE "app"."send_attempt" ADD CONSTRAINT "send_attempt_request_id_chain_id_wallet_nonce_fkey" FOREIGN KEY ("request_id", "chain_id", "wallet", "nonce") REFERENCES "app"."send_request"("request_id", "chain_id", "wallet", "nonce") ON DELETE RESTRICT ON UPDATE RESTRICT;',
    replace: "",
    tests: [guards],
  },
  {
    id: "request-nonce-check",
    file: SENDING,
    title: "what is signed has a nonce, and what waits has none",
    find: `CHECK (("state" = 'accepted' AND "nonce" IS NULL) OR ("state" IN ('signed', 'broadcast', 'mined', 'final') AND "nonce" IS NOT NULL)\n      OR "state" IN ('failed', 'canceled'))`,
    replace: "CHECK (true)",
    tests: [guards],
  },
  {
    id: "request-outcome-check",
    file: SENDING,
    title: "what is final has an outcome, and nothing else has",
    find: `CHECK (("state" = 'final') = ("outcome" IS NOT NULL) AND "outcome" IN ('confirmed', 'reverted'))`,
    replace: "CHECK (true)",
    tests: [guards],
  },
  {
    id: "request-mined-check",
    file: SENDING,
    title: "what is mined has its block and how it went",
    find: `CHECK ("state" <> 'mined' OR ("mined_block" IS NOT NULL AND "mined_block_hash" IS NOT NULL AND "mined_success" IS NOT NULL))`,
    replace: "CHECK (true)",
    tests: [guards],
  },
  {
    id: "request-failure-check",
    file: SENDING,
    title: "what failed has its cause",
    find: `CHECK ("state" NOT IN ('failed', 'canceled') OR "err_code" IS NOT NULL)`,
    replace: "CHECK (true)",
    tests: [guards],
  },
  {
    id: "attempt-signed-check",
    file: SENDING,
    title: "signed bytes have their hash",
    find: 'CHECK (("signed_bytes" IS NULL) = ("tx_hash" IS NULL))',
    replace: "CHECK (true)",
    tests: [guards],
  },
  {
    id: "guard-nonce",
    file: SENDING,
    title: "a request's nonce never changes",
    find: `IF OLD."nonce" IS NOT NULL AND NEW."nonce" IS DISTINCT FROM OLD."nonce" THEN`,
    replace: "IF false THEN",
    tests: [guards],
  },
  {
    id: "guard-call",
    file: SENDING,
    title: "what a request sends never changes",
    find: `IF (NEW."chain_id", NEW."wallet", NEW."call_data", NEW."to_address") IS DISTINCT FROM\n     (OLD."chain_id", OLD."wallet", OLD."call_data", OLD."to_address") THEN`,
    replace: "IF false THEN",
    tests: [guards],
  },
  {
    id: "guard-last-state",
    file: SENDING,
    title: "what ended stays as it ended",
    find: `IF OLD."state" IN ('final', 'failed', 'canceled') AND\n     (NEW."state", NEW."outcome", NEW."err_code", NEW."tx_hash") IS DISTINCT FROM\n     (OLD."state", OLD."outcome", OLD."err_code", OLD."tx_hash") THEN`,
    replace: "IF false THEN",
    tests: [guards],
  },
  {
    id: "guard-accepted-again",
    file: SENDING,
    title: "what was signed never waits for a nonce again",
    find: `IF NEW."state" = 'accepted' AND OLD."state" <> 'accepted' THEN`,
    replace: "IF false THEN",
    tests: [guards],
    survives:
      "two others hold it: a nonce is never taken back, and what waits has none (send_request_nonce_check)",
  },
  {
    id: "guard-bytes",
    file: SENDING,
    title: "stored bytes never change",
    find: `IF OLD."signed_bytes" IS NOT NULL AND NEW."signed_bytes" IS DISTINCT FROM OLD."signed_bytes" THEN`,
    replace: "IF false THEN",
    tests: [guards],
  },
  {
    id: "guard-next-nonce",
    file: SENDING,
    title: "a wallet's next nonce never goes back",
    find: `IF NEW."next_nonce" < OLD."next_nonce" OR (NEW."next_nonce" IS NULL AND OLD."next_nonce" IS NOT NULL) THEN`,
    replace: "IF false THEN",
    tests: [guards],
  },
  {
    id: "guard-lease-epoch",
    file: SENDING,
    title: "a lease's epoch never goes back",
    find: `IF NEW."lease_epoch" < OLD."lease_epoch" THEN`,
    replace: "IF false THEN",
    tests: [guards],
  },
  {
    id: "usage-rows",
    file: USAGE,
    title: "every key has its usage counted",
    find: `VALUES (NEW."key_id", 'reads'), (NEW."key_id", 'writes');`,
    replace: `VALUES (NEW."key_id", 'reads');`,
    tests: [limits],
  },
  {
    id: "rotation-previous-check",
    file: ROTATION,
    title: "all of a previous secret is there, or none of it",
    find: 'CHECK (num_nulls("previous_secret_sealed", "previous_master_key_id", "previous_secret_until") IN (0, 3))',
    replace: "CHECK (true)",
    tests: [guards],
  },
  {
    id: "rotation-end-due",
    file: ROTATION,
    title: "a previous secret is removed once its overlap is over",
    find: 'WHERE "previous_secret_until" <= now() RETURNING',
    replace: 'WHERE "previous_secret_until" IS NOT NULL RETURNING',
    tests: [rotation],
  },
  {
    id: "attribution-one-key",
    file: ATTRIBUTION,
    title: "a transaction carries one key's suffix",
    find: '    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,\n\n    CONSTRAINT "transaction_attribution_pkey" PRIMARY KEY ("chain_id","tx_hash")\n',
    replace: '    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP\n',
    tests: [guards],
  },
  {
    id: "total-counted",
    file: TOTALS,
    title: "an order adds to the total of its key's day",
    find: '"counted" + NEW."notional"',
    replace: '"counted" + 0 * NEW."notional"',
    tests: [cap],
  },
  {
    id: "total-under-way",
    file: TOTALS,
    title: "a total begins behind the orders that are under way",
    find: "PERFORM pg_advisory_xact_lock(",
    replace: "PERFORM pg_advisory_xact_lock_shared(",
    tests: [cap],
  },
  {
    id: "total-day",
    file: TOTALS,
    title: "a total begins at the orders of its own day",
    find: ` AND r."accepted_at" >= date_trunc('day', now(), 'UTC'))`,
    replace: ")",
    tests: [cap],
  },
  ...toldSends,
];
