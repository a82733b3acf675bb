/**
 * Changes of unreleased migrations that the version before may not survive (CONTRIBUTING.md#migrations): the migration, the reason
 * why that version survives it, and its effects in the check's words. A release empties this list.
 */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "20261125225900_complete_rows": {
    "it reads and refuses: nothing is changed": ["runs a DO block, which the check does not read"],
  },
  "20261125231000_rows_alone": {
    "0.3.0 neither reads nor writes the archive of settled lists: it was there for a way back to 0.2.0": [
      "drops the function app.unsettle_claims",
      "drops the function app.unsettle_changed_claims",
      "drops the function app.unsettle_attributed",
      "drops the function app.unsettle",
      "drops the function app.recount_settled",
      "drops the function app.count_settled_orders",
      "drops the function app.count_settled_operations",
      "drops the function app.count_changed_order",
      "drops the function app.count_changed_operation",
      "drops the function app.settle_without_shape",
      "drops the table app.settled_order",
      "drops the table app.settled_operation",
      "drops the table app.settled_count",
      "drops the table app.settled_count_change",
      "drops the table app.settled_chain",
      "drops the table app.unsettled_claim",
    ],
    "0.3.0 asks for no version of a chain: they were there for a way back to 0.2.0": [
      "drops the function app.count_user_change",
      "drops the function app.count_row_change",
      "drops the function app.count_truncation",
      "drops the function app.count_change",
      "drops the function app.answer_version",
      "drops the table app.claim_change",
    ],
    "its trigger alone called it": ["drops the function app.refill_rows"],
  },
  "20261126180000_reserved_nonces": {
    "0.3.0 has no transaction of a nonce that is reserved, so that it changes none of these requests but to failed":
      ["refuses rows by the constraint app.send_request.send_request_reserved_check"],
  },
  "20261127000720_order_span_index": {
    "key_order_totals begins with the same columns and the same expression": [
      "drops the index app.key_order_span",
    ],
  },
};

/**
 * Rights that programs of the version before have and do not use, by the full or initial words of
 * `test/db/roles.integration.test.ts`, each with its reason. A release empties this list.
 */
export const UNUSED_RIGHTS: Readonly<Record<string, string>> = {
  "partner_operator: UPDATE app.api_key.key_id": "0.3.0 writes it with the row, and never changes it",
  "partner_operator: UPDATE app.api_key.name": "0.3.0 writes it with the row, and never changes it",
  "partner_operator: UPDATE app.api_key.api_key": "0.3.0 writes it with the row, and never changes it",
  "partner_operator: UPDATE app.api_key.access": "0.3.0 writes it with the row, and never changes it",
  "partner_operator: UPDATE app.api_key.created_at": "0.3.0 writes it with the row, and never changes it",
  "partner_operator: UPDATE app.dashboard_user.user_id": "0.3.0 writes it with the row, and never changes it",
  "partner_operator: UPDATE app.dashboard_user.name": "0.3.0 writes it with the row, and never changes it",
  "partner_operator: UPDATE app.dashboard_user.created_at":
    "0.3.0 writes it with the row, and never changes it",
};
