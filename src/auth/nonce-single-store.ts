/**
 * Decides about one claim as nonce-claim-store.ts does about a batch: without what a batch needs to order and to add up, it
 * takes half of the time. A test holds the two against each other.
 */
const DECISION_OF_ONE = `
  WITH key AS (
    SELECT k.key_id
    FROM app.api_key k
    WHERE k.key_id = $1::uuid AND k.revision = $3::int
      AND k.active AND (k.expires_at IS NULL OR k.expires_at > now())
      AND (NOT $8::boolean OR k.previous_secret_until > now())
      AND NOT EXISTS (SELECT FROM app.api_nonce n WHERE n.key_id = $1::uuid AND n.nonce = $2::uuid)
  ), usage AS MATERIALIZED (
    SELECT CASE WHEN w.is_current THEN u.used ELSE 0 END AS used,
      CASE WHEN w.is_current THEN u.window_ends_at ELSE now() + make_interval(secs => $7) END AS ends_at
    FROM app.key_usage u
    CROSS JOIN LATERAL (SELECT u.window_ends_at > now()
      AND u.window_ends_at < now() + 2 * make_interval(secs => $7) AS is_current) w
    WHERE u.key_id = $1::uuid AND u.kind = $4::text AND $6::int > 0 AND EXISTS (SELECT FROM key)
    FOR NO KEY UPDATE OF u
  ), consumed AS (
    INSERT INTO app.api_nonce (key_id, nonce)
    SELECT key.key_id, $2::uuid FROM key LEFT JOIN usage ON true WHERE $6::int = 0 OR $5::int <= $6::int - usage.used
    ON CONFLICT DO NOTHING
    RETURNING true AS is_claimed
  ), counted AS (
    UPDATE app.key_usage u SET used = usage.used + $5::int, window_ends_at = usage.ends_at
    FROM usage, consumed
    WHERE u.key_id = $1::uuid AND u.kind = $4::text
  )`;

const OUTCOME_OF_ONE = `
  1, CASE WHEN consumed.is_claimed THEN 'claimed' WHEN $5::int > $6::int - usage.used THEN 'limited' ELSE 'refused' END,
    $6::int - usage.used - CASE WHEN consumed.is_claimed THEN $5::int ELSE 0 END,
    (extract(epoch FROM usage.ends_at - now()) * 1000)::float8`;

const FROM_ONE = "FROM key LEFT JOIN usage ON true LEFT JOIN consumed ON true";

export const CLAIM_ONE = `${DECISION_OF_ONE} SELECT ${OUTCOME_OF_ONE} ${FROM_ONE}`;

export const CLAIM_ONE_WITH_VERSION = `${DECISION_OF_ONE}
  SELECT ${OUTCOME_OF_ONE}, v.version, v.checkpoint ${FROM_ONE} CROSS JOIN app.answer_version($9::int) v`;
