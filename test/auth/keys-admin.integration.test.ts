import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import {
  createKey,
  type KeyAdminDeps,
  listKeys,
  type NewKey,
  requireKey,
  resealKeys,
  revokeKey,
  updateKey,
} from "../../src/auth/keys-admin.ts";
import { rotateKey } from "../../src/auth/rotation.ts";
import { openSecret, sealSecret } from "../../src/auth/secrets.ts";
import { prismaOn } from "../../src/db/client.ts";
import type { PrismaClient } from "../../src/db/generated/client.ts";
import { present } from "../support/assert/until.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { CHAIN_ID, deployments, MASTER_KEYS, NOW, PRODUCT } from "../support/http/auth.ts";

let database: TestDatabase;
let pool: pg.Pool;
let prisma: PrismaClient;

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 3 });
  prisma = prismaOn(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const admin = (change: Partial<KeyAdminDeps> = {}): KeyAdminDeps => ({
  prisma,
  deployments,
  masterKeys: MASTER_KEYS,
  now: () => NOW,
  actor: "an operator",
  ...change,
});

const scope = { chainId: CHAIN_ID, productType: PRODUCT };
const wanted = (change: Partial<NewKey> = {}): NewKey => ({
  name: "Acme",
  access: "WRITABLE",
  scopes: [scope],
  ips: ["127.0.0.1"],
  ...change,
});

async function count(table: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM app.${table}`);
  return rows[0]?.n ?? -1;
}

/** Runs while nothing can be written to the audit log. */
async function withoutAudit(work: () => Promise<void>): Promise<void> {
  await pool.query("ALTER TABLE app.audit_entry RENAME TO audit_entry_away");
  try {
    await work();
  } finally {
    await pool.query("ALTER TABLE app.audit_entry_away RENAME TO audit_entry");
  }
}

/** Returns the audit log's detail of an action on a key. */
const detailOf = async (action: string, apiKey: string) =>
  (
    await pool.query<{ detail: Record<string, unknown> }>(
      "SELECT detail FROM app.audit_entry WHERE action = $1 AND subject = $2 ORDER BY audit_id",
      [action, apiKey],
    )
  ).rows.map(({ detail }) => detail);

describe("createKey", () => {
  it("stores a key with its parts, the secret sealed for this key alone", async () => {
    const expiresAt = new Date(NOW + 1_000);
    const created = await createKey(
      admin(),
      wanted({ ips: ["::FFFF:10.0.0.1", "2001:DB8::/32"], expiresAt }),
    );
    expect(created.apiKey).toMatch(/^pk_[0-9a-f]{32}$/);
    expect(created.apiSecret).toMatch(/^sk_[0-9a-f]{64}$/);
    const listed = (await listKeys({ prisma })).find(({ apiKey }) => apiKey === created.apiKey);
    expect(listed).toMatchObject({
      name: "Acme",
      active: true,
      access: "WRITABLE",
      scopes: [scope],
      ips: ["10.0.0.1", "2001:db8::/32"],
      userAddress: null,
      expiresAt,
      revokedAt: null,
      masterKeyId: "k1",
    });
    const { rows } = await pool.query<{ sealed: Buffer }>(
      "SELECT secret_sealed AS sealed FROM app.api_key WHERE key_id = $1",
      [created.keyId],
    );
    const { sealed } = present(rows[0], "the key's row");
    expect(openSecret(MASTER_KEYS, created.keyId, { sealed, masterKeyId: "k1" }).toString()).toBe(
      created.apiSecret,
    );
  });

  it.each<[string, Partial<NewKey>, bigint | null]>([
    ["100,000 mUSD where it may send and nobody says otherwise", {}, 100_000n * 10n ** 18n],
    ["the one it is given", { dailyNotionalCap: 7n }, 7n],
    ["none where it is given none", { dailyNotionalCap: null }, null],
    ["none where it only reads", { access: "READ_ONLY" }, null],
  ])("has a daily cap: %s", async (_what, change, cap) => {
    const created = await createKey(admin(), wanted(change));
    expect(created.dailyNotionalCap).toBe(cap);
    const { rows } = await pool.query<{ cap: string }>(
      "SELECT daily_notional_cap AS cap FROM app.key_policy WHERE key_id = $1",
      [created.keyId],
    );
    expect(rows).toEqual(cap === null ? [] : [{ cap: `${cap}` }]);
    expect(await detailOf("key.create", created.apiKey)).toMatchObject([
      { name: "Acme", dailyNotionalCap: cap === null ? null : `${cap}`, masterKeyId: "k1" },
    ]);
  });

  it("takes a user in any case, and an address with space around it, and has nobody let in by default", async () => {
    const userAddress = `0x${"aB".repeat(20)}`;
    const { ips: _none, ...open } = wanted({ userAddress });
    const created = [
      await createKey(admin(), wanted({ userAddress, ips: [" 10.0.0.1 "] })),
      await createKey(admin(), open),
    ];
    const listed = await listKeys({ prisma });
    expect(created.map(({ apiKey }) => listed.find((key) => key.apiKey === apiKey))).toMatchObject([
      { userAddress: userAddress.toLowerCase(), ips: ["10.0.0.1"] },
      { userAddress: userAddress.toLowerCase(), ips: [] },
    ]);
  });

  it("names the scopes that there are where one is not served", async () => {
    const unserved = wanted({ scopes: [{ chainId: 1, productType: "x" }] });
    await expect(createKey(admin(), unserved)).rejects.toThrow(`there are: ${CHAIN_ID}:${PRODUCT}`);
  });

  it("takes the same scope or address named twice for one", async () => {
    const { apiKey } = await createKey(admin(), wanted({ scopes: [scope, scope], ips: ["::1", "0:0::1"] }));
    const listed = (await listKeys({ prisma })).find((key) => key.apiKey === apiKey);
    expect(listed).toMatchObject({ scopes: [scope], ips: ["::1"] });
  });

  it.each<[string, Partial<NewKey>, string]>([
    [
      "a chain that nobody serves",
      { scopes: [{ chainId: 1, productType: PRODUCT }] },
      "no deployment serves 1:Sandbox",
    ],
    [
      "a product of another chain",
      { scopes: [{ chainId: 31338, productType: "sandbox" }] },
      "no deployment serves",
    ],
    [
      "one bad scope among good ones",
      { scopes: [scope, { chainId: 1, productType: "x" }] },
      "no deployment serves 1:x",
    ],
    ["no scope", { scopes: [] }, "a key needs a scope"],
    ["a blank name", { name: "  " }, "name is empty"],
    ["an endless name", { name: "x".repeat(129) }, "longer than 128"],
    ["a user that is no address", { userAddress: "0x12" }, "20-byte hex address"],
    [
      "a user with something before the address",
      { userAddress: ` 0x${"ab".repeat(20)}` },
      "20-byte hex address",
    ],
    [
      "a user with something behind the address",
      { userAddress: `0x${"ab".repeat(21)}` },
      "20-byte hex address",
    ],
    ["a user that is not hex", { userAddress: `0x${"zz".repeat(20)}` }, "20-byte hex address"],
    ["a cap below nothing", { dailyNotionalCap: -1n }, "expected bigint to be >=0"],
    ["a cap for a key that only reads", { access: "READ_ONLY", dailyNotionalCap: 0n }, "it takes no cap"],
    ["an octal address", { ips: ["127.0.0.1", "010.0.0.1"] }, "010.0.0.1 is neither"],
    ["a range with bits after its prefix", { ips: ["10.0.0.1/8"] }, "10.0.0.1/8 is neither"],
    ["an end in the past", { expiresAt: new Date(NOW) }, "in the past"],
    ["an end that is no time", { expiresAt: new Date(Number.NaN) }, "expires must be a time"],
  ])("refuses %s, and stores nothing", async (_what, change, message) => {
    const before = await count("api_key");
    await expect(createKey(admin(), wanted(change))).rejects.toThrow(message);
    expect(await count("api_key")).toBe(before);
  });
});

describe("every change", () => {
  it("and its audit entry are there together or not at all", async () => {
    const { apiKey } = await createKey(admin(), wanted());
    const before = await listKeys({ prisma });
    await withoutAudit(async () => {
      await expect(createKey(admin(), wanted())).rejects.toThrow("audit_entry");
      await expect(revokeKey(admin(), apiKey)).rejects.toThrow("audit_entry");
      await expect(updateKey(admin(), apiKey, { addIps: ["::1"] })).rejects.toThrow("audit_entry");
      const masterKeys = [{ id: "k2", key: Buffer.alloc(32, 9) }, ...MASTER_KEYS];
      await expect(resealKeys(admin({ masterKeys }))).rejects.toThrow("audit_entry");
    });
    expect(await listKeys({ prisma })).toEqual(before);
  });

  it("counts the key's revision up, so that no cached copy stays good", async () => {
    const { apiKey, keyId } = await createKey(admin(), wanted());
    const revision = async () =>
      (await pool.query<{ revision: number }>("SELECT revision FROM app.api_key WHERE key_id = $1", [keyId]))
        .rows[0]?.revision ?? -1;
    const seen = [await revision()];
    for (const statement of [
      "UPDATE app.api_key SET name = 'x' WHERE key_id = $1",
      "INSERT INTO app.api_key_ip VALUES ($1, '::1')",
      "DELETE FROM app.api_key_ip WHERE key_id = $1 AND cidr = '::1'",
      "UPDATE app.api_key_scope SET product_type = 'x' WHERE key_id = $1",
      "DELETE FROM app.api_key_scope WHERE key_id = $1",
    ]) {
      await pool.query(statement, [keyId]);
      seen.push(await revision());
    }
    await revokeKey(admin(), apiKey);
    seen.push(await revision());
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe("a change of a key", () => {
  it("waits for the one before, and decides by what that left", async () => {
    const { apiKey } = await createKey(admin(), wanted());
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query(
        `UPDATE app.api_key SET previous_secret_sealed = secret_sealed, previous_master_key_id = master_key_id,
           previous_secret_until = now() + interval '1 hour' WHERE api_key = $1`,
        [apiKey],
      );
      const rotating = rotateKey(admin(), apiKey, { overlapSeconds: 60 });
      const refused = expect(rotating).rejects.toThrow("is being rotated until");
      await waitsForLock(pool, "%app%api_key%", refused);
      await holder.query("COMMIT");
      await refused;
    } finally {
      holder.release();
    }
  });
});

describe("revokeKey", () => {
  it("is final: it happens once, of many at the same time", async () => {
    const { apiKey } = await createKey(admin(), wanted());
    const changed = await Promise.all([1, 2, 3].map(() => revokeKey(admin(), apiKey)));
    expect(changed.filter(Boolean)).toHaveLength(1);
    await expect(
      pool.query("UPDATE app.api_key SET active = true WHERE api_key = $1", [apiKey]),
    ).rejects.toThrow("api_key_revoked_check");
  });
});

describe("resealKeys", () => {
  it("changes nothing where one secret cannot be opened", async () => {
    const masterKeys = [{ id: "k2", key: Buffer.alloc(32, 9) }, ...MASTER_KEYS];
    const { keyId } = await createKey(admin(), wanted());
    await pool.query("UPDATE app.api_key SET secret_sealed = secret_sealed || '\\x00' WHERE key_id = $1", [
      keyId,
    ]);
    const before = await listKeys({ prisma });
    await expect(resealKeys(admin({ masterKeys }))).rejects.toThrow();
    expect(await listKeys({ prisma })).toEqual(before);
  });

  const NEXT = [{ id: "k2", key: Buffer.alloc(32, 9) }, ...MASTER_KEYS];

  it("seals each secret once", async () => {
    await pool.query("DELETE FROM app.api_key");
    const [one] = [await createKey(admin(), wanted()), await createKey(admin(), wanted())];
    await rotateKey(admin(), one.apiKey, { overlapSeconds: 60 });
    expect(await resealKeys(admin({ masterKeys: NEXT }))).toBe(3);
    expect(await resealKeys(admin({ masterKeys: NEXT }))).toBe(0);
    const change = { from: "k1", to: "k2" };
    expect(await detailOf("key.reseal", one.apiKey)).toEqual([change, { previous: true, ...change }]);
  });

  /** Runs a statement on a key that is committed while a reseal waits for it. */
  async function resealBeside(statement: string, values: unknown[]): Promise<void> {
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query(statement, values);
      const resealing = resealKeys(admin({ masterKeys: NEXT }));
      await waitsForLock(pool, "%app.api_key%", resealing);
      await holder.query("COMMIT");
      await resealing;
    } finally {
      holder.release();
    }
  }
  const sealsOf = async (keyId: string) =>
    (
      await pool.query<{ sealed: Buffer; masterKeyId: string; previous: Buffer | null }>(
        `SELECT secret_sealed AS sealed, master_key_id AS "masterKeyId", previous_secret_sealed AS previous
         FROM app.api_key WHERE key_id = $1`,
        [keyId],
      )
    ).rows[0];

  it("seals the secret that a rotation at the same instant gives", async () => {
    const { keyId } = await createKey(admin(), wanted());
    const { sealed, masterKeyId } = sealSecret(MASTER_KEYS, keyId, "the new one");
    await resealBeside("UPDATE app.api_key SET secret_sealed = $2, master_key_id = $3 WHERE key_id = $1", [
      keyId,
      sealed,
      masterKeyId,
    ]);
    const row = present(await sealsOf(keyId), "the key's row");
    expect(row.masterKeyId).toBe("k2");
    expect(openSecret(NEXT, keyId, row).toString()).toBe("the new one");
  });

  it("does not write back a previous secret that is dropped at the same instant", async () => {
    const { keyId, apiKey } = await createKey(admin({ masterKeys: NEXT }), wanted());
    await rotateKey(admin(), apiKey, { overlapSeconds: 60 });
    await rotateBack(keyId);
    await resealBeside(
      `UPDATE app.api_key SET previous_secret_sealed = NULL, previous_master_key_id = NULL,
         previous_secret_until = NULL WHERE key_id = $1`,
      [keyId],
    );
    expect(await sealsOf(keyId)).toMatchObject({ previous: null });
  });

  it.each(["secret", "previous secret"])(
    "leaves alone a %s that is sealed under the current master key",
    async (which) => {
      await pool.query("DELETE FROM app.api_key");
      const { keyId, apiKey } = await createKey(admin({ masterKeys: NEXT }), wanted());
      await rotateKey(admin(), apiKey, { overlapSeconds: 60 });
      if (which === "secret") await rotateBack(keyId);
      expect(await resealKeys(admin({ masterKeys: NEXT }))).toBe(1);
    },
  );

  /** Moves a key's sealed secret back to the old master key, as its previous secret. */
  const rotateBack = (keyId: string) =>
    pool.query(
      `UPDATE app.api_key SET secret_sealed = previous_secret_sealed, master_key_id = previous_master_key_id,
         previous_secret_sealed = secret_sealed, previous_master_key_id = master_key_id WHERE key_id = $1`,
      [keyId],
    );
});

describe("listKeys", () => {
  it("has the oldest key first, its scopes in their order, and the end of a previous secret", async () => {
    await pool.query("DELETE FROM app.api_key");
    let oldest = "";
    for (const [name, createdAt] of [
      ["b", "2026-01-02"],
      ["a", "2026-01-02"],
      ["old", "2026-01-01"],
    ]) {
      const { keyId } = await createKey(admin(), wanted());
      const rename = "UPDATE app.api_key SET api_key = $2, created_at = $3 WHERE key_id = $1";
      await pool.query(rename, [keyId, name, createdAt]);
      oldest = keyId;
    }
    await rotateKey(admin(), "old", { overlapSeconds: 60 });
    await pool.query("DELETE FROM app.api_key_scope WHERE key_id = $1", [oldest]);
    for (const [chainId, productType] of [
      [2, "a"],
      [1, "b"],
      [1, "a"],
    ])
      await pool.query("INSERT INTO app.api_key_scope (key_id, chain_id, product_type) VALUES ($1, $2, $3)", [
        oldest,
        chainId,
        productType,
      ]);
    const listed = await listKeys({ prisma });
    expect(listed.map(({ apiKey }) => apiKey)).toEqual(["old", "a", "b"]);
    expect(listed[0]?.scopes.map(({ chainId, productType }) => `${chainId} ${productType}`)).toEqual([
      "1 a",
      "1 b",
      "2 a",
    ]);
    expect(listed.map(({ createdAt }) => createdAt)).toEqual([
      expect.any(Date),
      expect.any(Date),
      expect.any(Date),
    ]);
    expect(listed.map(({ previousSecretUntil }) => previousSecretUntil)).toEqual([
      expect.any(Date),
      null,
      null,
    ]);
  });
});

describe("requireKey", () => {
  it("refuses a key that does not exist, and no other", async () => {
    const { apiKey } = await createKey(admin(), wanted());
    await requireKey({ prisma }, apiKey);
    await expect(requireKey({ prisma }, "pk_none")).rejects.toThrow("there is no key pk_none");
  });
});

describe("updateKey", () => {
  it("refuses to remove what is not there, naming it alone, and changes nothing", async () => {
    const { apiKey } = await createKey(admin(), wanted({ ips: ["10.0.0.1", "10.0.0.2"] }));
    const change = { addIps: ["::1"], removeIps: ["10.0.0.1", "10.0.0.3", "10.0.0.4"] };
    await expect(updateKey(admin(), apiKey, change)).rejects.toThrow(/: 10\.0\.0\.3, 10\.0\.0\.4$/);
    const known = { addIps: ["::1"], removeIps: ["10.0.0.1", "10.0.0.2"] };
    expect((await updateKey(admin(), apiKey, known)).ips).toEqual(["::1"]);
  });

  it("takes an address that is there already", async () => {
    const { apiKey } = await createKey(admin(), wanted({ ips: ["10.0.0.1"] }));
    const { ips } = await updateKey(admin(), apiKey, { addIps: ["10.0.0.1", "10.0.0.2"] });
    expect(ips).toEqual(["10.0.0.1", "10.0.0.2"]);
  });

  it("moves the end of a key, also of one that has ended, and leaves it where none is named", async () => {
    const { apiKey, keyId } = await createKey(admin(), wanted());
    await pool.query("UPDATE app.api_key SET expires_at = now() - interval '1 day' WHERE key_id = $1", [
      keyId,
    ]);
    const expiresAt = new Date(Date.now() + 86_400_000);
    expect(await updateKey(admin(), apiKey, { expiresAt })).toEqual({ expiresAt, ips: ["127.0.0.1"] });
    expect(await detailOf("key.ips", apiKey)).toEqual([]);
    expect(await updateKey(admin(), apiKey, { addIps: ["::1"] })).toMatchObject({ expiresAt });
    expect(await detailOf("key.expiry", apiKey)).toHaveLength(1);
    expect(await updateKey(admin(), apiKey, { expiresAt: null })).toMatchObject({ expiresAt: null });
  });

  it("refuses an end in the past and a revoked key, and changes nothing", async () => {
    const { apiKey } = await createKey(admin(), wanted());
    const past = { addIps: ["::1"], expiresAt: new Date(Date.now() - 1_000) };
    await expect(updateKey(admin(), apiKey, past)).rejects.toThrow("expires is in the past");
    expect(await updateKey(admin(), apiKey, {})).toEqual({ expiresAt: null, ips: ["127.0.0.1"] });
    await revokeKey(admin(), apiKey);
    await expect(updateKey(admin(), apiKey, { expiresAt: null })).rejects.toThrow("a revoked key");
  });

  it("changes the one key", async () => {
    const keys = [await createKey(admin(), wanted()), await createKey(admin(), wanted())];
    await updateKey(admin(), present(keys[0], "a key").apiKey, { removeIps: ["127.0.0.1"] });
    const ipsOf = async (apiKey: string) =>
      (await listKeys({ prisma })).find((listed) => listed.apiKey === apiKey)?.ips;
    expect(await Promise.all(keys.map(({ apiKey }) => ipsOf(apiKey)))).toEqual([[], ["127.0.0.1"]]);
  });
});
