import { createHash, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { createNonceClaimer, NONCE_RETENTION_SECONDS } from "../../../src/auth/nonce-store.ts";
import { RATE_WINDOW_SECONDS } from "../../../src/auth/rate-limits.ts";
import { ROOT } from "../../../src/config/root.ts";
import { createBatcher } from "../../../src/db/batch.ts";
import { createPool } from "../../../src/db/client.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { type PostgresServer, startPostgres } from "../../support/db/postgres.ts";
import { median } from "../rounds.ts";
import { postmasterIn, secondsOf, secondsOfServer } from "../sandbox/cpu.ts";
import { type Redis, startRedis } from "./redis.ts";

/**
 * `npm run bench:nonce-stores`: nonces claimed on the primary, as the api does, beside nonces claimed on a second PostgreSQL or on Redis,
 * after which the primary is read (docs/decisions/2026-11-26-nonce-store.md). In turns; both servers share this machine's disk and cores.
 */
const ROUNDS = 5;
const ROUND_MS = 2_000;
const KEYS = 40;
const SCOPE = { chainId: 31337, productType: "Sandbox" };
/** Never reached. */
const POINTS = 2_000_000_000;
const TIMEOUT_MS = 10_000;
/** As the api claims nonces. */
const BATCH = { maxItems: 500, maxRunning: 2, timeoutMs: TIMEOUT_MS };

/** Claims a nonce of a key, and then knows the version, block and cursor of what the key sees. */
type Claim = (keyId: string) => Promise<unknown>;

/** Processor seconds, and bytes written to logs, so far. */
interface Use {
  primary: number;
  store: number;
  process: number;
  primaryBytes: number;
  storeBytes: number;
}

interface Way {
  claim: () => Claim;
  use: () => Promise<Use>;
}

const limits = { reads: POINTS, writes: POINTS };

function claimOn(pool: pg.Pool, hasVersion: boolean): Claim {
  const claim = createNonceClaimer(pool, { limits, preparedStatements: true, timeoutMs: TIMEOUT_MS });
  return async (keyId) => {
    const wanted = { keyId, revision: 0, nonce: randomUUID(), kind: "reads", cost: 1 } as const;
    const { outcome } = await claim(wanted, () => (hasVersion ? SCOPE : null));
    if (outcome !== "claimed") throw new Error(`a nonce was ${outcome}`);
  };
}

const READ_STATE = `
  SELECT c.key_id, v.version, v.shown_block, v.sequence
  FROM (SELECT DISTINCT u.key_id FROM unnest($1::uuid[]) AS u (key_id)) c
  JOIN app.api_key k ON k.key_id = c.key_id AND k.revision = 0 AND k.active AND (k.expires_at IS NULL OR k.expires_at > now())
  CROSS JOIN LATERAL app.key_state($2, c.key_id, $3) v`;

/** Reads on the primary, after the nonce's claim, whether the key still holds, with the version, block and cursor of what it sees. */
function readState(pool: pg.Pool): Claim {
  const run = async (keyIds: string[]) => {
    const values = [keyIds, SCOPE.chainId, SCOPE.productType];
    const { rows } = await pool.query({ name: "read_state", text: READ_STATE, values, rowMode: "array" });
    const found = new Set(rows.map(([keyId]) => keyId));
    if (!keyIds.every((keyId) => found.has(keyId))) throw new Error("a key has no state");
    return keyIds;
  };
  return createBatcher(run, BATCH);
}

const then =
  (first: Claim, second: Claim): Claim =>
  async (keyId) => {
    await first(keyId);
    await second(keyId);
  };

/** Claims the nonces of a batch, and counts each against the limit of its key: 1 claimed, 0 refused. */
const SCRIPT = `
  local outcomes = {}
  for i = 1, #KEYS, 2 do
    local used = tonumber(redis.call('GET', KEYS[i + 1]) or '0')
    if used + 1 <= tonumber(ARGV[1]) and redis.call('SET', KEYS[i], '', 'NX', 'EX', ARGV[2]) then
      redis.call('INCR', KEYS[i + 1])
      if used == 0 then redis.call('EXPIRE', KEYS[i + 1], ARGV[3]) end
      outcomes[#outcomes + 1] = 1
    else
      outcomes[#outcomes + 1] = 0
    end
  end
  return outcomes`;
const SCRIPT_ID = createHash("sha1").update(SCRIPT).digest("hex");

function claimOnRedis({ send }: Redis): Claim {
  const run = async (keyIds: string[]) => {
    const names = keyIds.flatMap((keyId) => [`n:${keyId}:${randomUUID()}`, `u:${keyId}:reads`]);
    const values = [POINTS, NONCE_RETENTION_SECONDS, RATE_WINDOW_SECONDS].map(String);
    const outcomes = await send("EVALSHA", SCRIPT_ID, `${names.length}`, ...names, ...values);
    if (!Array.isArray(outcomes) || outcomes.some((outcome) => outcome !== 1))
      throw new Error("a nonce was refused");
    return keyIds;
  };
  return createBatcher(run, BATCH);
}

/** Measures concurrent callers on all replicas, each waiting for its answer. */
async function measure({ claim, use }: Way, keyIds: string[], callers: number, replicas: number) {
  const claims = Array.from({ length: replicas }, claim);
  const [before, startedAt] = [await use(), performance.now()];
  const taken: number[] = [];
  const call = async (index: number) => {
    for (let at = performance.now(); at < startedAt + ROUND_MS; ) {
      await claims[index % replicas]?.(keyIds[index % keyIds.length] ?? "");
      const now = performance.now();
      taken.push(now - at);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await use();
  const each = (name: keyof Use, scale = 1) => ((after[name] - before[name]) * scale) / taken.length;
  return {
    "claims/s": taken.length / seconds,
    "p50 ms": median(taken),
    "primary ms": each("primary", 1000),
    "store ms": each("store", 1000),
    "api ms": each("process", 1000),
    "primary WAL bytes": each("primaryBytes"),
    "store log bytes": each("storeBytes"),
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

async function walBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query("SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes");
  return rows[0].bytes;
}

/** Makes the keys, with the state that the primary has of each once a chain is projected. */
async function seed(server: PostgresServer, pool: pg.Pool, keyIds: string[]): Promise<void> {
  await migrate(server.adminUrl, { info: () => undefined });
  await pool.query(
    `INSERT INTO app.api_key (key_id, name, api_key, secret_sealed, master_key_id, access)
     SELECT k, 'bench', 'pk_' || k, decode(repeat('00', 40), 'hex'), 'k', 'WRITABLE' FROM unnest($1::uuid[]) k`,
    [keyIds],
  );
  await pool.query(
    "INSERT INTO app.event_chain (chain_id, block_number, verified_block, filled) VALUES ($1, 100, 90, true)",
    [SCOPE.chainId],
  );
}

async function run(ends: (() => Promise<void>)[]): Promise<void> {
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  const flags = ["-c", "max_wal_size=8GB", "-c", "checkpoint_timeout=1h"];
  const start = async () => {
    const server = await startPostgres({ durable: true, onDisk: true, flags });
    const pool = createPool(server.adminUrl, { max: 10, preparedStatements: true });
    ends.push(server.stop, () => pool.end());
    return { pool, server, postmaster: postmasterIn(server.home.data) };
  };
  const keyIds = Array.from({ length: KEYS }, () => randomUUID());
  const [primary, second] = [await start(), await start()];
  for (const { server, pool } of [primary, second]) await seed(server, pool, keyIds);
  const redis = await startRedis();
  if (redis) ends.push(redis.stop);
  else process.stdout.write("Redis takes no part: redis-server is not installed.\n");
  await redis?.send("SCRIPT", "LOAD", SCRIPT);

  const useOf = (storeSeconds: () => number, storeBytes: () => Promise<number>) => async () => {
    const { user, system } = process.cpuUsage();
    return {
      primary: secondsOfServer(primary.postmaster),
      store: storeSeconds(),
      process: (user + system) / 1e6,
      primaryBytes: await walBytes(primary.pool),
      storeBytes: await storeBytes(),
    };
  };
  const ways: Record<string, Way> = {
    "on the primary": {
      claim: () => claimOn(primary.pool, true),
      use: useOf(
        () => 0,
        async () => 0,
      ),
    },
    "a second PostgreSQL": {
      claim: () => then(claimOn(second.pool, false), readState(primary.pool)),
      use: useOf(
        () => secondsOfServer(second.postmaster),
        () => walBytes(second.pool),
      ),
    },
    ...(redis && {
      Redis: {
        claim: () => then(claimOnRedis(redis), readState(primary.pool)),
        use: useOf(() => secondsOf(redis.pid), redis.appendedBytes),
      },
    }),
  };
  for (const [callers, keys, replicas] of [
    [1, 1, 1],
    [32, 8, 1],
    [200, 40, 2],
  ] as const) {
    const measured = await compare(ways, keyIds.slice(0, keys), callers, replicas);
    process.stdout.write(
      `\n${callers} callers, ${keys} keys, ${replicas} replicas; medians of ${ROUNDS} rounds\n`,
    );
    for (const [name, rounds] of measured) process.stdout.write(`${name.padEnd(20)} ${describe(rounds)}\n`);
  }
}

/** Measures the ways in turns, after a round each that does not count. */
async function compare(ways: Record<string, Way>, keyIds: string[], callers: number, replicas: number) {
  const measured = new Map<string, Measured[]>();
  for (let round = -1; round < ROUNDS; round++)
    for (const [name, way] of Object.entries(ways)) {
      const found = await measure(way, keyIds, callers, replicas);
      if (round >= 0) measured.set(name, [...(measured.get(name) ?? []), found]);
    }
  return measured;
}

function describe(rounds: Measured[]): string {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Measured)[];
  return names.map((name) => `${name} ${median(rounds.map((of) => of[name])).toPrecision(3)}`).join(", ");
}

const ends: (() => Promise<void>)[] = [];
try {
  await run(ends);
} finally {
  for (const end of ends.reverse()) await end();
}
