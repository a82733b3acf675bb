const ARCHIVE =
  "0.3.0 neither reads nor writes the archive of settled lists: it was there for a way back to 0.2.0";
const VERSIONS = "0.3.0 asks for no version of a chain: they were there for a way back to 0.2.0";

/**
 * Changes of unreleased migrations that the version before may not survive, each with the reason why it does here: the migration,
 * and its effect in the check's words (CONTRIBUTING.md#migrations). A release empties this list.
 */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "20261125225900_complete_rows": {
    "runs a DO block, which the check does not read": "it reads and refuses: nothing is changed",
  },
  "20261125231000_rows_alone": {
    "drops the function app.unsettle_claims": ARCHIVE,
    "drops the function app.unsettle_changed_claims": ARCHIVE,
    "drops the function app.unsettle_attributed": ARCHIVE,
    "drops the function app.unsettle": ARCHIVE,
    "drops the function app.recount_settled": ARCHIVE,
    "drops the function app.count_settled_orders": ARCHIVE,
    "drops the function app.count_settled_operations": ARCHIVE,
    "drops the function app.count_changed_order": ARCHIVE,
    "drops the function app.count_changed_operation": ARCHIVE,
    "drops the function app.settle_without_shape": ARCHIVE,
    "drops the function app.count_user_change": VERSIONS,
    "drops the function app.count_row_change": VERSIONS,
    "drops the function app.count_truncation": VERSIONS,
    "drops the function app.count_change": VERSIONS,
    "drops the function app.answer_version": VERSIONS,
    "drops the function app.refill_rows": "its trigger alone called it",
    "drops the table app.settled_order": ARCHIVE,
    "drops the table app.settled_operation": ARCHIVE,
    "drops the table app.settled_count": ARCHIVE,
    "drops the table app.settled_count_change": ARCHIVE,
    "drops the table app.settled_chain": ARCHIVE,
    "drops the table app.unsettled_claim": ARCHIVE,
    "drops the table app.claim_change": VERSIONS,
  },
};

/**
 * Rights that programs of the version before have and do not use, by the full or initial words of
 * `test/db/roles.integration.test.ts`, each with its reason. A release empties this list.
 */
export const UNUSED_RIGHTS: Readonly<Record<string, string>> = {};
