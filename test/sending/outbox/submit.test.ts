import { describe, expect, it } from "@jest/globals";
import type { Caller } from "../../../src/auth/caller.ts";
import { insertSend, type NewSend, write } from "../../../src/sending/outbox/submit.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { fakeOutboxDeps, type RawSendRow, rawSend, toSendRow } from "../../support/sender/fake-outbox.ts";
import { newSend } from "../../support/sender/new-send.ts";

const caller: Caller = {
  keyId: "k",
  apiKey: "ak",
  access: "WRITABLE",
  chainId: 31337,
  productType: "Sandbox",
  userAddress: null,
};
const send = (more: Partial<NewSend> = {}) =>
  newSend(`0x${"2".repeat(40)}`, `0x${"1".repeat(40)}`, { needsDelegation: false, queuedMax: null, ...more });
const gone = () => Object.assign(new Error("gone"), { code: "ECONNRESET" });
const taken = () => Object.assign(new Error("taken"), { code: "23505", constraint: "some_key" });

/** Configures the fake database; a test may change it while a request is written. */
interface Database {
  /** Returns the state of the wallet. */
  wallet(): string;
  byId: RawSendRow | null;
  byKey: RawSendRow | null;
  byOperation: RawSendRow | null;
  /** Inserts the request; by default without a conflict. */
  insert(): RawSendRow[];
  insertClaim(): void;
  commit(): void;
  onBegin(): void;
}

function database(more: Partial<Database> = {}) {
  const state: Database = {
    wallet: () => "active",
    byId: null,
    byKey: null,
    byOperation: null,
    insert: () => [rawSend()],
    insertClaim: () => undefined,
    commit: () => undefined,
    onBegin: () => undefined,
    ...more,
  };
  const counts = { begin: 0, insert: 0 };
  const rowsOf = (row: RawSendRow | null) => (row ? [row] : []);
  const { deps, clock } = fakeOutboxDeps((text) => {
    if (text === "BEGIN") {
      counts.begin += 1;
      // Ends every endless loop of writes.
      if (counts.begin > 5) throw new Error("tried too often");
      state.onBegin();
    }
    if (text === "COMMIT") state.commit();
    if (text.includes("WHERE request_id = $1")) return rowsOf(state.byId);
    if (text.includes("r.idempotency_key = $")) return rowsOf(state.byKey);
    if (text.includes("operation_key = $3")) return rowsOf(state.byOperation);
    if (text.includes("app.delegatee_wallet"))
      return [{ state: state.wallet(), assignable: true, halted: false, waiting: 0 }];
    if (text.includes("INSERT INTO app.send_request")) {
      counts.insert += 1;
      const rows = state.insert();
      // One statement writes both.
      if (rows.length > 0 && text.includes("INSERT INTO app.transaction_claim")) state.insertClaim();
      return rows;
    }
    return [];
  });
  // Each read of the clock takes a second, so that a write ends though nothing moves it.
  const now = () => {
    clock.nowMs += 1_000;
    return clock.nowMs;
  };
  return { deps: { ...deps, now }, state, counts };
}

describe("a request whose keys are taken", () => {
  const standing = rawSend({ state: "mined" });
  const insert = () => [];

  it("is answered the one under its Idempotency-Key", async () => {
    const { deps } = database({ insert, byKey: standing });
    expect(await write(deps, caller, send({ idempotencyKey: "i" }))).toEqual(toSendRow(standing));
  });

  it("is answered the one under its operation", async () => {
    const { deps } = database({ insert, byOperation: standing });
    expect(await write(deps, caller, send({ operationKey: "cancel:1" }))).toEqual(toSendRow(standing));
  });

  it("is refused under its clientOrderId", async () => {
    for (const more of [{ insert }, { insertClaim: () => thrown(taken()) }]) {
      const { deps, counts } = database(more);
      await expectRefusal(
        write(deps, caller, send({ clientOrderId: "c" })),
        "CLIENT_ORDER_ID_REUSED",
        "clientOrderId",
      );
      expect({ refusedBy: Object.keys(more), begins: counts.begin }).toEqual({
        refusedBy: Object.keys(more),
        begins: 1,
      });
    }
  });

  it("is an error of ours where none of them is its own", async () => {
    const { deps, counts } = database({ insertClaim: () => thrown(taken()) });
    await expect(write(deps, caller, send())).rejects.toThrow("taken");
    expect(counts.begin).toBe(1);
  });
});

describe("a commit that happens after its connection broke", () => {
  const later = rawSend({ clientOrderId: "c" });
  /** Breaks the connection at the first commit, until `lands`. */
  const breaking = (more: Partial<Database>) => {
    let isFirst = true;
    return database({
      commit: () => {
        if (!isFirst) return;
        isFirst = false;
        throw gone();
      },
      ...more,
    });
  };

  it("is not taken for another request of the same clientOrderId", async () => {
    const { deps, state, counts } = breaking({
      insert: () => {
        if (counts.begin === 1) return [rawSend()];
        state.byId = later;
        return [];
      },
    });
    expect(await write(deps, caller, send({ clientOrderId: "c" }))).toEqual(toSendRow(later));
  });

  it("is answered, though the request would be refused by then", async () => {
    const { deps, state, counts } = breaking({
      wallet: () => {
        if (counts.begin === 1) return "active";
        state.byId = later;
        return "halted";
      },
    });
    expect(await write(deps, caller, send())).toEqual(toSendRow(later));
    expect(counts).toEqual({ begin: 2, insert: 1 });
  });
});

describe("a database that fails", () => {
  it("is asked again within three seconds, and not from then on", async () => {
    const { deps, counts } = database({ onBegin: () => thrown(gone()) });
    await expectRefusal(write(deps, caller, send()), "DATABASE_UNAVAILABLE");
    // The clock is read before the first attempt and after each.
    expect(counts.begin).toBe(3);
  });

  it("is asked once where the mistake is ours", async () => {
    const { deps, counts } = database({ onBegin: () => thrown(new Error("a mistake")) });
    await expect(write(deps, caller, send())).rejects.toThrow("a mistake");
    expect(counts.begin).toBe(1);
  });
});

it("a request that is there under its id is not inserted again", async () => {
  const { deps, counts } = database({ byId: rawSend() });
  const tx = await deps.pool.connect();
  expect(
    await insertSend(deps, tx, caller, send(), { requestId: rawSend().requestId, mayExist: true }),
  ).toEqual(toSendRow(rawSend()));
  expect(counts.insert).toBe(0);
});

function thrown(error: Error): never {
  throw error;
}
