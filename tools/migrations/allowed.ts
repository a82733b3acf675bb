const WAITS = "waits for a lock in a loop, and grants what the table's roles have: it drops nothing";
const FASTER = "indexes that another one begins like, so the version before finds its rows by that one";
const PARTITION =
  "the table becomes a partition of one with its name, columns and defaults, by which every statement of the version before finds it";
const TRUE = "holds for every row that the version before writes: its column has a default that keeps to it";
const UNNAMED = "no statement of the version before names it, in ON CONFLICT or elsewhere";

/**
 * Changes of unreleased migrations that the version before may not survive, each with the reason why it does here: the migration,
 * and what it does as the check words it (CONTRIBUTING.md#migrations). A release begins this list anew.
 */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "20261123072900_settled_shapes": {
    "drops the index app.settled_order_key_status": FASTER,
    "drops the index app.settled_order_key_side": FASTER,
    "drops the index app.settled_order_key_type": FASTER,
    "drops the index app.settled_order_key_stock": FASTER,
    "drops the index app.settled_order_key_user": FASTER,
    "drops the index app.settled_operation_key_token": FASTER,
    "drops the index app.settled_operation_key_user": FASTER,
  },
  "20261123073402_partition_checks": {
    "runs a DO block, which the check does not read": WAITS,
    "refuses rows by the constraint app.event.event_first_partition_check": TRUE,
    "refuses rows by the constraint app.webhook_delivery.webhook_delivery_first_partition_check": TRUE,
  },
  "20261123073403_event_partition_index": {
    "refuses rows by the unique index event_chain_id_position_key of app.event": TRUE,
  },
  "20261123073404_delivery_partition_index": {
    "refuses rows by the unique index webhook_delivery_delivery_id_position_key of app.webhook_delivery":
      TRUE,
  },
  "20261123073405_partitions": {
    "runs a DO block, which the check does not read": WAITS,
    "requires the column app.event.position": TRUE,
    "renames app.event": PARTITION,
    "renames app.event_pkey": UNNAMED,
    "renames app.event_created_at_idx": UNNAMED,
    "drops the index app.event_chain_id_position_idx": "the unique index of the same columns takes its place",
    "drops the constraint app.event_p00000000.event_first_partition_check":
      "the partition's bound says the same",
    "drops the constraint app.webhook_delivery.webhook_delivery_pkey": UNNAMED,
    "refuses rows by the constraint app.webhook_delivery.webhook_delivery_p00000000_pkey": TRUE,
    "renames app.webhook_delivery": PARTITION,
    "renames app.webhook_delivery_webhook_id_state_sequence_idx": UNNAMED,
    "renames app.webhook_delivery_event_at_idx": UNNAMED,
    "renames app.webhook_delivery_webhook_id_sequence_key": UNNAMED,
    "renames app.webhook_delivery_due_idx": UNNAMED,
    "renames app.webhook_delivery_lease_idx": UNNAMED,
    "renames app.webhook_delivery_object_idx": UNNAMED,
    "drops the constraint app.webhook_delivery_p00000000.webhook_delivery_first_partition_check":
      "the partition's bound says the same",
  },
};
