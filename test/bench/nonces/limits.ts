import { randomUUID } from "node:crypto";
import type pg from "pg";
import { createNonceClaimer } from "../../../src/auth/nonce-store.ts";
import { createBatcher } from "../../../src/db/batch.ts";
import { createPool } from "../../../src/db/client.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { startPostgres } from "../../support/db/postgres.ts";

/**
 * `npm run bench:nonces`: claims per second of the statement that claims nonces, without and with the
 * count of rate limits, by turns on one durable server. `before` is the former statement without a count.
 */
const BEFORE = `
  INSERT INTO app.api_nonce (key_id, nonce)
  SELECT c.key_id, c.nonce FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS c (key_id, nonce, revision)
  JOIN app.api_key k ON k.key_id = c.key_id AND k.revision = c.revision
  WHERE k.active AND (k.expires_at IS NULL OR k.expires_at > now())
  ON CONFLICT DO NOTHING
  RETURNING key_id::text || nonce::text`;
const ROUNDS = 3;
const ROUND_MS = 1_000;
const KEYS = 40;

type Claim = (keyId: string) => Promise<unknown>;

function claimBefore(pool: pg.Pool): Claim {
  const run = async (keyIds: string[]) => {
    const values = [keyIds, keyIds.map(() => randomUUID()), keyIds.map(() => 0)];
    await pool.query({ text: BEFORE, values, rowMode: "array" });
    return keyIds;
  };
  return createBatcher(run, { maxItems: 500, maxRunning: 2, timeoutMs: 10_000 });
}

function claimNow(pool: pg.Pool, points: number): Claim {
  const limits = { reads: points, writes: points };
  const claim = createNonceClaimer(pool, { limits, preparedStatements: true, timeoutMs: 10_000 });
  return (keyId) => claim({ keyId, revision: 0, nonce: randomUUID(), kind: "reads", cost: 1 });
}

/** Measures claims of concurrent callers on all replicas, each waiting for its answer. @returns claims per second */
async function measure(replicas: Claim[], keyIds: string[], callers: number): Promise<number> {
  const end = performance.now() + ROUND_MS;
  let claimed = 0;
  const call = async (index: number) => {
    while (performance.now() < end) {
      await replicas[index % replicas.length]?.(keyIds[index % keyIds.length] ?? "");
      claimed += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
  return Math.round((claimed * 1_000) / ROUND_MS);
}

const server = await startPostgres({ durable: true, onDisk: true });
const pool = createPool(server.adminUrl, { max: 10 });
try {
  await migrate(server.adminUrl, { info: () => undefined });
  const { rows } = await pool.query<{ key_id: string }>(
    `INSERT INTO app.api_key (name, api_key, secret_sealed, master_key_id, access)
     SELECT 'bench', 'pk_' || n, decode(repeat('00', 40), 'hex'), 'k', 'WRITABLE' FROM generate_series(1, $1) n
     RETURNING key_id`,
    [KEYS],
  );
  const keyIds = rows.map(({ key_id }) => key_id);
  const unbounded = 2_000_000_000;
  for (const [callers, keys, replicas] of [
    [1, 1, 1],
    [32, 1, 1],
    [32, 8, 1],
    [200, 40, 2],
  ] as const) {
    const ways = {
      before: Array.from({ length: replicas }, () => claimBefore(pool)),
      "no limit": Array.from({ length: replicas }, () => claimNow(pool, 0)),
      limit: Array.from({ length: replicas }, () => claimNow(pool, unbounded)),
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [way, claims] of Object.entries(ways)) {
        const perSecond = await measure(claims, keyIds.slice(0, keys), callers);
        process.stdout.write(
          `${callers} callers, ${keys} keys, ${replicas} replicas  ${way.padEnd(9)} ${perSecond}/s\n`,
        );
      }
    }
  }
} finally {
  await pool.end();
  await server.stop();
}
