/**
 * Changes of unreleased migrations that the version before may not survive, each with the reason why it does here: the migration,
 * and what it does as the check words it (CONTRIBUTING.md#migrations). A release begins this list anew.
 */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "20261124150000_bound_user": {
    "refuses rows by the constraint app.transaction_claim.transaction_claim_bound_user_address_check":
      "the version before does not write the column: a trigger does, from app.api_key, whose user has the same form",
  },
};

const DELIVERS =
  "that worker delivers nothing: the grants were for the worker of 0.1.0 beside the deliverer of 0.2.0";

/**
 * Rights that programs of the version before have and do not use, as `test/db/roles.integration.test.ts` words them or begins to, each
 * with the reason why. A release begins this list anew.
 */
export const UNUSED_RIGHTS: Readonly<Record<string, string>> = {
  "partner_worker: SELECT app.webhook.": DELIVERS,
  "partner_worker: UPDATE app.webhook.": DELIVERS,
  "partner_worker: DELETE app.webhook": DELIVERS,
  "partner_worker: SELECT app.webhook_secret.": DELIVERS,
  "partner_worker: INSERT app.webhook_delivery.": DELIVERS,
  "partner_worker: UPDATE app.webhook_delivery.": DELIVERS,
  "partner_worker: USAGE app.webhook_delivery_position_seq": DELIVERS,
};
