import { describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { createKeyStore } from "../../src/auth/key-store.ts";
import { type SealedSecret, sealSecret } from "../../src/auth/secrets.ts";
import { present } from "../support/assert/until.ts";
import { MASTER_KEYS, NOW, ranges } from "../support/http/auth.ts";

const KEY_ID = "11111111-1111-4111-8111-111111111111";
const TTL_MS = 5_000;
const UNTIL = NOW + 86_400_000;

const sealed = (secret: string) => sealSecret(MASTER_KEYS, KEY_ID, secret);
const previousOf = ({ sealed: previousSealed, masterKeyId: previousMasterKeyId }: SealedSecret) => ({
  previousSealed,
  previousMasterKeyId,
});

/** Returns a row of the statement that reads keys. */
function rowOf(apiKey: string, change: object = {}) {
  return {
    apiKey,
    keyId: KEY_ID,
    access: "READ_ONLY",
    active: true,
    userAddress: null,
    revision: 3,
    expiresAt: null,
    ...sealed("sk_current"),
    previousSealed: null,
    previousMasterKeyId: null,
    previousUntil: null,
    scopes: [],
    ips: ["127.0.0.1", "10.0.0.0/8"],
    ...change,
  };
}

/** Creates a store over the rows of `stored`, which the test changes, with a clock that the test sets. */
function makeStore(...apiKeys: string[]) {
  const stored = new Map(apiKeys.map((apiKey) => [apiKey, rowOf(apiKey)]));
  const clock = { timeMs: NOW };
  const failure: { error: Error | null } = { error: null };
  const asked: string[][] = [];
  const pool = {
    query: async ({ values: [wanted = []] }: { values: string[][] }) => {
      if (failure.error) throw failure.error;
      asked.push(wanted);
      return { rows: wanted.flatMap((apiKey) => stored.get(apiKey) ?? []) };
    },
  } as unknown as pg.Pool;
  const store = createKeyStore({ pool, masterKeys: MASTER_KEYS, now: () => clock.timeMs, ttlMs: TTL_MS });
  return { store, stored, clock, failure, asked };
}

async function loadRow(change: object) {
  const { store, stored } = makeStore();
  stored.set("pk_1", rowOf("pk_1", change));
  return present(await store.load("pk_1"), "the key");
}

describe("a key in memory", () => {
  it("is the one that was read, until exactly the time to live has passed", async () => {
    const { store, clock, asked } = makeStore("pk_1");
    expect(store.cached("pk_1")).toBeNull();
    const key = await store.load("pk_1");
    expect(key).toMatchObject({ apiKey: "pk_1", revision: 3, readAt: NOW });
    clock.timeMs = NOW + TTL_MS - 1;
    expect(store.cached("pk_1")).toBe(key);
    clock.timeMs = NOW + TTL_MS;
    expect(store.cached("pk_1")).toBeNull();
    expect(asked).toEqual([["pk_1"]]);
  });

  it("is replaced by what is read later, and dropped once it does not exist", async () => {
    const { store, stored, clock } = makeStore("pk_1");
    await store.load("pk_1");
    stored.set("pk_1", rowOf("pk_1", { revision: 4 }));
    clock.timeMs += 1;
    await store.load("pk_1");
    expect(store.cached("pk_1")).toMatchObject({ revision: 4, readAt: NOW + 1 });
    stored.delete("pk_1");
    expect(await store.load("pk_1")).toBeNull();
    expect(store.cached("pk_1")).toBeNull();
  });

  it("is null where it does not exist", async () => {
    const { store } = makeStore();
    expect(await store.load("pk_nobody")).toBeNull();
    expect(store.cached("pk_nobody")).toBeNull();
  });

  it("is gone for good after a read at its end, even where the clock is set back", async () => {
    const { store, clock } = makeStore("pk_1", "pk_2");
    await store.load("pk_1");
    clock.timeMs = NOW + TTL_MS;
    await store.load("pk_2");
    clock.timeMs = NOW + TTL_MS - 1;
    expect(store.cached("pk_1")).toBeNull();
  });

  it("stays when one that was read before it goes", async () => {
    const { store, clock } = makeStore("pk_older", "pk_younger", "pk_last");
    await store.load("pk_older");
    clock.timeMs = NOW + 1;
    const younger = await store.load("pk_younger");
    clock.timeMs = NOW + TTL_MS;
    await store.load("pk_last");
    expect(store.cached("pk_younger")).toBe(younger);
    expect(store.cached("pk_older")).toBeNull();
  });

  it("outlives a failure of the database, which a load answers with DATABASE_UNAVAILABLE", async () => {
    const { store, failure } = makeStore("pk_1");
    const key = await store.load("pk_1");
    failure.error = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    await expect(store.load("pk_1")).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
    await expect(store.load("pk_2")).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
    expect(store.cached("pk_1")).toBe(key);
    expect(store.cached("pk_2")).toBeNull();
  });

  it("is read once for all loads of one tick", async () => {
    const { store, asked } = makeStore("pk_1", "pk_2");
    const keys = await Promise.all(["pk_1", "pk_2", "pk_1"].map((apiKey) => store.load(apiKey)));
    expect(keys.map((key) => key?.apiKey)).toEqual(["pk_1", "pk_2", "pk_1"]);
    expect(asked).toEqual([["pk_1", "pk_2"]]);
  });
});

describe("a key that is read", () => {
  it("has its secret, and no previous one where none is stored", async () => {
    const key = await loadRow({});
    expect(key.secret?.export().toString()).toBe("sk_current");
    expect(key.previous).toBeNull();
  });

  it("has both secrets while it is being rotated, and when the previous one ends", async () => {
    const key = await loadRow({ ...previousOf(sealed("sk_previous")), previousUntil: UNTIL });
    expect(key.secret?.export().toString()).toBe("sk_current");
    expect(key.previous?.secret.export().toString()).toBe("sk_previous");
    expect(key.previous?.until).toBe(UNTIL);
  });

  it("has no previous secret where that cannot be opened, or has no end", async () => {
    const foreign = sealSecret([{ id: "k9", key: Buffer.alloc(32, 9) }], KEY_ID, "sk_previous");
    const unreadable = await loadRow({ ...previousOf(foreign), previousUntil: UNTIL });
    expect(unreadable.previous).toBeNull();
    expect(unreadable.secret).not.toBeNull();
    expect(await loadRow(previousOf(sealed("sk_previous")))).toMatchObject({ previous: null });
  });

  it("has the ranges that can be read, and nothing for an entry that cannot", async () => {
    const key = await loadRow({ ips: ["not an address", "127.0.0.1", "10.0.0.1/8", "10.0.0.0/8"] });
    expect(key.ranges).toEqual(ranges("127.0.0.1", "10.0.0.0/8"));
  });
});
