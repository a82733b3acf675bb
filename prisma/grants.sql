-- Who may do what in app.*: every migration applies this file, where roles.sql has made the roles.
--
-- Each table is named here, also one that no program but the owner may touch; a test holds the file against the database.
-- Names of columns follow a privilege where the role changes no others. A row lock (SELECT ... FOR UPDATE, FOR SHARE)
-- takes the right to update one column at least.

REVOKE ALL ON ALL TABLES IN SCHEMA app FROM partner_api, partner_worker, partner_deliverer, partner_operator;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA app FROM partner_api, partner_worker, partner_deliverer, partner_operator;
-- A function may run with its owner's rights. Triggers need no right to theirs.
REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA app FROM PUBLIC, partner_api, partner_worker, partner_deliverer, partner_operator;
GRANT USAGE ON SCHEMA app TO partner_api, partner_worker, partner_deliverer, partner_operator;
GRANT SELECT ON public._prisma_migrations TO partner_api, partner_worker, partner_deliverer, partner_operator;

-- Keys: the operator makes and changes them.
GRANT SELECT ON app.api_key, app.api_key_scope, app.api_key_ip TO partner_api;
GRANT SELECT ON app.api_key, app.api_key_scope TO partner_worker;
-- Which keys may use what: none of their secrets.
GRANT SELECT (key_id, active, revoked_at, expires_at) ON app.api_key TO partner_deliverer;
GRANT SELECT ON app.api_key_scope TO partner_deliverer;
-- Rotates the secret of a key that called, with the owner's rights and nothing else.
GRANT EXECUTE ON FUNCTION app.rotate_own_secret(uuid, integer, boolean, bytea, text, integer) TO partner_api;
-- Removes previous secrets that work no more and audits that, with the owner's rights and nothing else.
GRANT EXECUTE ON FUNCTION app.end_rotations() TO partner_worker;
-- Which ends of keys are reported: the worker enters them with the events.
GRANT SELECT (key_id, expires_at, days), INSERT ON app.key_expiry_report TO partner_worker;
GRANT SELECT ON app.key_expiry_report TO partner_operator;
-- Maintenance: the operator announces and cancels, the api shows it, the worker notes what it has reported.
GRANT SELECT ON app.maintenance_notice TO partner_api;
GRANT SELECT, UPDATE (announcement_reported_at, cancellation_reported_at) ON app.maintenance_notice TO partner_worker;
GRANT SELECT, INSERT (chain_id, starts_at, ends_at, text), UPDATE (canceled_at) ON app.maintenance_notice TO partner_operator;
-- How chains and market data are, as the log reports it: the worker's alone.
GRANT SELECT, INSERT, UPDATE ON app.status_report TO partner_worker;
GRANT SELECT ON app.status_report TO partner_operator;
-- What a key is and is called stays: a request to revoke one must not fit another.
GRANT SELECT, INSERT, UPDATE (secret_sealed, master_key_id, previous_secret_sealed, previous_master_key_id, previous_secret_until, active,
  expires_at, user_address, revoked_at, revision) ON app.api_key TO partner_operator;
GRANT SELECT, INSERT, DELETE ON app.api_key_scope TO partner_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.api_key_ip TO partner_operator;

-- What keys have used of their rate limits: the api counts it. The rows come with the key, by a trigger.
GRANT SELECT, UPDATE (used, window_ends_at) ON app.key_usage TO partner_api;
GRANT INSERT ON app.key_usage TO partner_operator;

-- Nonces: the api claims them, the worker removes those that have expired.
GRANT SELECT, INSERT ON app.api_nonce TO partner_api;
GRANT SELECT, DELETE, UPDATE (claimed_at) ON app.api_nonce TO partner_worker;
GRANT SELECT ON app.api_nonce TO partner_operator;

-- Policies: the operator sets them, the api locks them while it decides.
GRANT SELECT, UPDATE (updated_at) ON app.key_policy TO partner_api;
-- Sets what a key's orders of a day are worth to their sum, and to nothing else.
GRANT EXECUTE ON FUNCTION app.begin_notional(uuid) TO partner_api, partner_operator;
GRANT SELECT ON app.key_policy TO partner_worker;
GRANT SELECT, INSERT, UPDATE ON app.key_policy TO partner_operator;

-- What was signed of each key on a day: the worker's alone, by which it holds keys to their caps.
GRANT SELECT, INSERT, UPDATE ON app.signed_total TO partner_worker;

-- Claims: the api records, the worker attributes, watches and removes.
GRANT SELECT, INSERT, UPDATE ON app.transaction_claim TO partner_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.transaction_claim TO partner_worker;
GRANT SELECT, UPDATE (state, tx_hash, updated_at) ON app.transaction_claim TO partner_operator;
GRANT SELECT, INSERT ON app.transaction_attribution, app.invalid_attribution TO partner_api, partner_worker;
GRANT SELECT ON app.transaction_attribution, app.invalid_attribution TO partner_operator;
GRANT SELECT, INSERT, UPDATE ON app.attribution_place TO partner_worker;
GRANT SELECT ON app.attribution_place TO partner_operator;

-- The change reader of each chain: a worker holds its lease.
GRANT SELECT, INSERT, UPDATE ON app.change_reader TO partner_worker;
GRANT SELECT ON app.change_reader TO partner_operator;

-- The log of events: triggers of claims enter what is due, with their owner's rights, and the api what a list showed
-- before the log said it; the worker writes the log, and removes what is old. Nobody changes what it said.
GRANT SELECT ON app.event, app.event_head, app.event_memory, app.event_chain, app.event_mark TO partner_api, partner_operator;
-- It waits until what a caller recorded is done with.
GRANT INSERT, SELECT (chain_id, claim_id, waits_for) ON app.event_due TO partner_api;
GRANT SELECT ON app.event_due, app.event_unowned TO partner_operator;
GRANT SELECT, INSERT, DELETE ON app.event TO partner_worker;
GRANT SELECT ON app.event_mark TO partner_worker;
GRANT SELECT ON app.event, app.event_head, app.event_mark TO partner_deliverer;
-- Of events from before the column.
GRANT EXECUTE ON FUNCTION app.event_object(text, json) TO partner_deliverer;
GRANT SELECT, INSERT, UPDATE ON app.event_head TO partner_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.event_memory, app.event_unowned TO partner_worker;
GRANT SELECT, INSERT, DELETE ON app.event_multiplier TO partner_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.event_distribution, app.distribution_scan TO partner_worker;
GRANT SELECT, INSERT, UPDATE ON app.event_delegation TO partner_worker;
GRANT SELECT ON app.event_delegation, app.event_distribution, app.event_multiplier, app.distribution_scan TO partner_operator;
GRANT SELECT, INSERT, DELETE ON app.event_due TO partner_worker;
GRANT SELECT, INSERT, UPDATE ON app.event_chain TO partner_worker;
-- The operator's command has all claims compared with their rows once more.
GRANT UPDATE (filled_to, steps) ON app.event_chain TO partner_operator;
GRANT SELECT, INSERT, UPDATE (hash), DELETE ON app.projected_block TO partner_worker;
GRANT SELECT ON app.projected_block TO partner_operator;
-- What keys see: written with the log. Triggers of claims write what is not indexed, and app.key_change, with their owner's rights.
GRANT SELECT ON app.key_order, app.key_operation, app.key_change, app.key_count TO partner_api, partner_operator;
-- Reads of them, with what they are of. The function runs with the rights of who reads.
GRANT SELECT ON app.shown_order, app.shown_operation TO partner_api, partner_operator;
GRANT EXECUTE ON FUNCTION app.key_state(integer, uuid, text) TO partner_api, partner_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.key_order, app.key_operation TO partner_worker;
GRANT SELECT, DELETE ON app.key_change TO partner_worker;
-- Its triggers insert with their owner's rights: no role uses app.key_change_change_id_seq.
GRANT USAGE ON SEQUENCE app.event_due_id_seq TO partner_api, partner_worker;
GRANT USAGE ON SEQUENCE app.event_position_seq TO partner_api, partner_worker;

-- Webhooks: the api makes and changes them, and asks for tests; the deliverer delivers, makes the tests, and removes what is old. The
-- operator sees, pauses and resumes them, and seals their secrets anew.
GRANT SELECT, INSERT, UPDATE (disabled_reason, disabled_at, failing_since, pending_from, deleted_at) ON app.webhook TO partner_api;
GRANT SELECT, UPDATE (cursor, disabled_reason, disabled_at, failing_since, pending_from, slow_for), DELETE ON app.webhook
  TO partner_deliverer;
GRANT SELECT, UPDATE (disabled_reason, disabled_at, failing_since, pending_from) ON app.webhook TO partner_operator;
GRANT SELECT, INSERT, UPDATE (ends_at), DELETE ON app.webhook_secret TO partner_api;
GRANT SELECT, DELETE ON app.webhook_secret TO partner_deliverer;
GRANT SELECT, UPDATE (sealed, sealing_key_id) ON app.webhook_secret TO partner_operator;
GRANT USAGE ON SEQUENCE app.webhook_secret_secret_id_seq TO partner_api;
GRANT SELECT, UPDATE (state, attempts, began_at, next_at, ended_at) ON app.webhook_delivery TO partner_api, partner_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.webhook_delivery TO partner_deliverer;
GRANT USAGE, SELECT ON SEQUENCE app.webhook_delivery_position_seq TO partner_deliverer;
GRANT SELECT, INSERT (webhook_id) ON app.webhook_test TO partner_api;
GRANT SELECT, UPDATE (claimed_at, ended_at, status_code, error, duration_ms), DELETE ON app.webhook_test TO partner_deliverer;
-- Says in the log that a webhook was disabled, with the owner's rights and nothing else.
GRANT EXECUTE ON FUNCTION app.append_webhook_disabled(uuid, json) TO partner_deliverer;
-- The worker reports their age.
GRANT SELECT ON app.webhook_delivery TO partner_worker;

-- Partitions of events and deliveries are the owner's alone: programs use their parents. The worker makes, enters, detaches and drops
-- them by functions, with the owner's rights and nothing else.
GRANT EXECUTE ON FUNCTION app.make_partitions(timestamptz, integer), app.enter_partitions(timestamptz),
  app.detach_partition(timestamptz, integer), app.drop_detached_partitions(), app.analyze_partitioned(), app.partitions(),
  app.week_position(timestamptz) TO partner_worker;

-- Delegations: the api makes and blocks them, the worker lifts the block. The operator blocks those of a retired wallet.
GRANT SELECT, INSERT, UPDATE ON app.delegation TO partner_api;
GRANT SELECT, UPDATE ON app.delegation TO partner_worker;
GRANT SELECT, UPDATE (blocked, epoch) ON app.delegation TO partner_operator;

-- Sending: the api accepts requests, and ends those that nobody has signed. Nonces, signed bytes, wallets and what became
-- of a transaction are the worker's.
GRANT SELECT, INSERT, UPDATE (state, err_code, revert, reason, operation_key, final_at)
  ON app.send_request TO partner_api;
GRANT SELECT, UPDATE ON app.send_request TO partner_worker;
-- Writes requests that undelegate users of retired wallets, with the owner's rights and nothing else.
GRANT EXECUTE ON FUNCTION app.queue_undelegation(uuid, integer, text, text, text, bigint, text, text) TO partner_worker;
-- The operator gives up what is lost, and enters what a restored backup does not know.
GRANT SELECT, UPDATE (state, err_code, revert, reason, operation_key, final_at, nonce, reserved_max_fee,
    reserved_tip, tx_hash, signed_at, broadcast_at)
  ON app.send_request TO partner_operator;
GRANT USAGE ON SEQUENCE app.send_request_sequence_seq TO partner_api;
-- What the chain has of requests that a restored backup lacks: the operator's command makes them again, with the owner's rights and nothing
-- else; the api finds them by their MACs.
GRANT EXECUTE ON FUNCTION app.recreate_requests(jsonb) TO partner_operator;
GRANT SELECT ON app.recreated_request TO partner_api, partner_operator;
-- Switches that cancel a key's orders: the api arms them, the worker carries them out by a function that writes cancels of open orders of
-- keys whose switch is due, with the owner's rights and nothing else.
GRANT SELECT, INSERT (key_id, chain_id, product_type, seconds, cancel_at), UPDATE (seconds, cancel_at) ON app.cancel_after TO partner_api;
GRANT SELECT ON app.cancel_after TO partner_worker, partner_operator;
GRANT EXECUTE ON FUNCTION app.fire_cancel_after(uuid, integer, text, integer, text, jsonb, integer, text) TO partner_worker;
-- Which orders a call to cancel many found: the api's alone.
GRANT SELECT, INSERT ON app.cancel_batch TO partner_api;
GRANT SELECT ON app.cancel_batch TO partner_operator;

GRANT SELECT ON app.send_attempt TO partner_api;
GRANT SELECT, INSERT ON app.send_attempt TO partner_operator;
GRANT SELECT, INSERT, UPDATE ON app.send_attempt TO partner_worker;
GRANT USAGE ON SEQUENCE app.send_attempt_attempt_id_seq TO partner_worker, partner_operator;

GRANT SELECT ON app.delegatee_wallet TO partner_api;
GRANT SELECT, INSERT, UPDATE ON app.delegatee_wallet TO partner_worker;
GRANT SELECT, UPDATE (state, state_reason, next_nonce, assignable, lease_epoch, lease_owner, lease_until)
  ON app.delegatee_wallet TO partner_operator;

-- Retired wallets: the operator enters them, and lets workers check their users anew; the worker undelegates these.
GRANT SELECT ON app.wallet_retirement TO partner_api;
GRANT SELECT, UPDATE ON app.wallet_retirement TO partner_worker;
GRANT SELECT, INSERT, UPDATE ON app.wallet_retirement TO partner_operator;

-- Samples for the dashboard: the worker takes those of chains and wallets, the api counts its requests; the worker removes
-- what is old.
GRANT SELECT ON app.chain_sample, app.wallet_sample TO partner_api, partner_operator;
GRANT SELECT, INSERT, UPDATE ON app.request_sample, app.endpoint_sample TO partner_api;
GRANT SELECT ON app.request_sample, app.endpoint_sample TO partner_operator;
GRANT SELECT, INSERT, DELETE ON app.chain_sample, app.wallet_sample TO partner_worker;
GRANT SELECT, DELETE ON app.request_sample, app.endpoint_sample TO partner_worker;
GRANT SELECT ON app.order_quote TO partner_api, partner_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.order_quote TO partner_worker;

-- Requests that were refused or wrote: the api keeps them for the dashboard, and nobody changes them. The worker makes and drops their
-- partitions by functions, with the owner's rights and nothing else.
GRANT SELECT, INSERT ON app.request_log TO partner_api;
GRANT SELECT ON app.request_log TO partner_operator;
GRANT SELECT (at) ON app.request_log TO partner_worker;
GRANT EXECUTE ON FUNCTION app.make_request_partitions(timestamptz, integer), app.drop_request_partitions(timestamptz, integer),
  app.request_partitions() TO partner_worker;

-- When programs were last alive: each says so of itself, and dashboards show it.
GRANT SELECT, INSERT, UPDATE (seen_at) ON app.program_seen TO partner_worker, partner_deliverer;
GRANT SELECT ON app.program_seen TO partner_api, partner_operator;

-- Open streams of keys: each api reports its own, and dashboards show those of all.
GRANT SELECT, INSERT, UPDATE (lease_until, streams), DELETE ON app.open_streams TO partner_api;
GRANT SELECT ON app.open_streams TO partner_operator;

-- Halted chains: the operator enters and removes them, the worker signs nothing there, the api refuses.
GRANT SELECT ON app.sending_halt TO partner_api, partner_worker;
GRANT SELECT, INSERT, DELETE ON app.sending_halt TO partner_operator;

-- Users of dashboards: the operator's command makes and ends them; the api looks tokens up by their hash and notes their use.
GRANT SELECT, UPDATE (last_used_at) ON app.dashboard_user TO partner_api;
GRANT SELECT, INSERT, UPDATE (role, token_hash, expires_at, revoked_at, last_used_at) ON app.dashboard_user TO partner_operator;

-- The audit log: written by the operator's command, and never changed. The api shows it to operators.
GRANT SELECT, INSERT ON app.audit_entry TO partner_operator;
GRANT SELECT ON app.audit_entry TO partner_api;
GRANT USAGE ON SEQUENCE app.audit_entry_audit_id_seq TO partner_operator;

-- Two people: the operator asks, in its own name and at its own time. Triggers confirm, with the owner's rights; the owner makes the rules.
GRANT SELECT ON app.second_login TO partner_operator;
GRANT SELECT, INSERT (action, subject) ON app.action_request TO partner_operator;
GRANT USAGE ON SEQUENCE app.action_request_request_id_seq TO partner_operator;
