-- What the service keeps of one user: rows by table, oldest and newest (docs/operations/personal-data.md). :address in lower case.
SELECT 'send_request' AS "table", count(*) AS rows, min(accepted_at) AS oldest, max(accepted_at) AS newest
  FROM app.send_request WHERE user_address = lower(:'address')
UNION ALL
SELECT 'send_attempt', count(*), min(a.created_at), max(a.created_at)
  FROM app.send_attempt a JOIN app.send_request r USING (request_id) WHERE r.user_address = lower(:'address')
UNION ALL
SELECT 'transaction_claim', count(*), min(created_at), max(created_at)
  FROM app.transaction_claim WHERE lower(:'address') IN (user_address, bound_user_address)
UNION ALL
SELECT 'key_order', count(*), min(created_at), max(created_at) FROM app.key_order WHERE user_address = lower(:'address')
UNION ALL
SELECT 'key_operation', count(*), min(created_at), max(created_at) FROM app.key_operation WHERE user_address = lower(:'address')
UNION ALL
SELECT 'event', count(*), min(created_at), max(created_at) FROM app.event WHERE lower(data::text) LIKE '%' || lower(:'address') || '%'
UNION ALL
SELECT 'event_delegation', count(*), NULL, NULL FROM app.event_delegation WHERE user_address = lower(:'address')
UNION ALL
SELECT 'event_distribution', count(*), NULL, NULL FROM app.event_distribution WHERE user_address = lower(:'address')
UNION ALL
SELECT 'delegation', count(*), min(created_at), max(created_at) FROM app.delegation WHERE user_address = lower(:'address')
UNION ALL
SELECT 'api_key', count(*), min(created_at), max(created_at) FROM app.api_key WHERE user_address = lower(:'address')
ORDER BY 1;
