import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import type { SendRow } from "../../../src/sending/outbox/rows.ts";
import { createAttributions } from "../../support/db/builders/claims.ts";
import { createAttempt } from "../../support/db/builders/sends.ts";
import { type OutboxFixture, startOutbox } from "../../support/sender/outbox-fixture.ts";

// Refusals of the database, independent of the code (docs/sending.md#invariants).

let outbox: OutboxFixture;
let wallet: Hex;
let caller: Caller;
let request: SendRow;

beforeAll(async () => {
  outbox = await startOutbox();
});
afterAll(() => outbox?.close());

beforeEach(async () => {
  ({ address: wallet } = await outbox.makeWallet());
  ({ caller } = await outbox.makeUser(wallet));
  request = await outbox.send(caller, wallet);
});

const change = (assignments: string, of = request) => outbox.change(of, assignments);
const sign = (nonce = 0, of = request) => change(`state = 'signed', nonce = ${nonce}`, of);
const hashOf = (byte: string): Hex => `0x${byte.repeat(32)}`;

const attempt = (
  { nonce = 0, hash = null, bytes = null }: { nonce?: number; hash?: Hex | null; bytes?: string | null },
  of = request,
) =>
  createAttempt(outbox.pool, of, {
    nonce,
    signedBytes: bytes === null ? null : Buffer.from(bytes),
    txHash: hash,
  });

describe("a nonce", () => {
  it("belongs to one request of its wallet", async () => {
    await sign();
    await expect(sign(0, await outbox.send(caller, wallet))).rejects.toThrow(
      "send_request_chain_id_wallet_nonce_key",
    );
  });

  it("is the request's for ever", async () => {
    await sign();
    await expect(change("nonce = 1")).rejects.toThrow("its nonce is 0 for ever");
    await expect(change("state = 'failed', err_code = 'CHAIN_REVERT', nonce = NULL")).rejects.toThrow(
      "its nonce is 0 for ever",
    );
  });

  it("is that of every attempt", async () => {
    await sign();
    await attempt({});
    await expect(attempt({ nonce: 1 })).rejects.toThrow("send_attempt_request_id_chain_id_wallet_nonce_fkey");
  });

  it("is there from signing on, and not before", async () => {
    await expect(change("state = 'signed'")).rejects.toThrow("send_request_nonce_check");
    await expect(change("nonce = 0")).rejects.toThrow("send_request_nonce_check");
  });

  it("that comes next never goes back", async () => {
    const set = (value: string) =>
      outbox.pool.query(`UPDATE app.delegatee_wallet SET next_nonce = ${value} WHERE address = $1`, [wallet]);
    await set("5");
    for (const value of ["4", "NULL"]) await expect(set(value)).rejects.toThrow("never goes back");
  });
});

describe("stored bytes", () => {
  it("have their hash, and belong to one attempt", async () => {
    await sign();
    await expect(attempt({ bytes: "signed" })).rejects.toThrow("send_attempt_signed_check");
    await attempt({ bytes: "signed", hash: hashOf("d1") });
    const other = await outbox.send(caller, wallet);
    await sign(1, other);
    await expect(attempt({ nonce: 1, bytes: "signed", hash: hashOf("d1") }, other)).rejects.toThrow(
      "send_attempt_tx_hash_key",
    );
  });

  it("never change", async () => {
    await sign();
    await attempt({ bytes: "signed", hash: hashOf("d2") });
    await expect(
      outbox.pool.query("UPDATE app.send_attempt SET signed_bytes = '\\x01' WHERE request_id = $1", [
        request.requestId,
      ]),
    ).rejects.toThrow("its bytes are stored");
  });
});

describe("a request", () => {
  it.each(["to_address = '0x02'", "call_data = '\\x02'"])("never changes what it sends: %s", async (what) => {
    await expect(change(what)).rejects.toThrow("what it sends never changes");
  });

  it("has a claim of its own", async () => {
    const other = await outbox.send(caller, wallet);
    await expect(change(`claim_id = '${request.claimId}'`, other)).rejects.toThrow(
      "send_request_claim_id_key",
    );
  });

  it("that was signed never waits again", async () => {
    await sign();
    await expect(change("state = 'accepted'")).rejects.toThrow();
    await expect(change("state = 'accepted', nonce = NULL")).rejects.toThrow();
  });

  it.each<[string, string, string]>([
    ["final without an outcome", "state = 'final', nonce = 0", "send_request_outcome_check"],
    ["with an outcome before it is final", "outcome = 'confirmed'", "send_request_outcome_check"],
    ["mined without its block", "state = 'mined', nonce = 0", "send_request_mined_check"],
    ["failed without a cause", "state = 'failed'", "send_request_failure_check"],
    ["canceled without a cause", "state = 'canceled'", "send_request_failure_check"],
  ])("is never %s", async (_what, assignments, constraint) => {
    await expect(change(assignments)).rejects.toThrow(constraint);
  });

  it.each<[string, string]>([
    ["state = 'final', nonce = 0, outcome = 'confirmed'", "outcome = 'reverted'"],
    ["state = 'failed', err_code = 'CHAIN_REVERT'", "err_code = 'OUT_OF_GAS'"],
    ["state = 'canceled', err_code = 'DEADLINE_EXPIRED'", `tx_hash = '${hashOf("d3")}'`],
    ["state = 'canceled', err_code = 'DEADLINE_EXPIRED'", "state = 'failed'"],
  ])("that ended (%s) stays so: %s", async (end, assignments) => {
    await change(end);
    await expect(change(assignments)).rejects.toThrow("is its last state");
  });
});

it("a claim's hash is lower case, so that it is found again", async () => {
  await expect(
    outbox.pool.query("UPDATE app.transaction_claim SET tx_hash = $2 WHERE claim_id = $1", [
      request.claimId,
      hashOf("D5"),
    ]),
  ).rejects.toThrow("transaction_claim_tx_hash_check");
});

it("a previous secret of a key is there with its master key and its end, or not at all", async () => {
  await expect(
    outbox.pool.query("UPDATE app.api_key SET previous_master_key_id = 'test' WHERE key_id = $1", [
      caller.keyId,
    ]),
  ).rejects.toThrow("api_key_previous_check");
});

it("a lease's epoch never goes back", async () => {
  await expect(
    outbox.pool.query("UPDATE app.delegatee_wallet SET lease_epoch = lease_epoch - 1 WHERE address = $1", [
      wallet,
    ]),
  ).rejects.toThrow("the lease epoch never goes back");
});

it("a transaction carries one key's suffix", async () => {
  const store = (key: Caller) => createAttributions(outbox.pool, key, hashOf("d4"));
  await store(caller);
  await expect(store((await outbox.makeUser(wallet)).caller)).rejects.toThrow("transaction_attribution_pkey");
});
