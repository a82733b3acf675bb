import type pg from "pg";
import pino from "pino";
import type { OutboxDeps } from "../../../src/sending/outbox/deps.ts";
import type { RawSendRow } from "../../../src/sending/outbox/rows.ts";
import { statementOf } from "../db/plans.ts";

/** Returns the rows of a statement, or throws what the database would. */
export type Answer = (text: string, values: readonly unknown[]) => unknown[];

/** A pool, on each of whose connections `answer` is the database. */
export function fakePool(answer: Answer): pg.Pool {
  const query = async (first: unknown, second: unknown = []) => {
    const { text, values } = statementOf(first, second) ?? { text: "", values: [] };
    const rows = answer(text, values);
    return { rows, rowCount: rows.length };
  };
  const ignore = () => undefined;
  const connect = async () => ({ query, release: ignore, on: ignore, off: ignore });
  return { query, connect } as unknown as pg.Pool;
}

/** Returns dependencies of the outbox, with a clock that only the test advances. */
export function fakeOutboxDeps(answer: Answer): { deps: OutboxDeps; clock: { nowMs: number } } {
  const clock = { nowMs: 1_000_000 };
  return {
    clock,
    deps: { pool: fakePool(answer), log: pino({ level: "silent" }), now: () => clock.nowMs },
  };
}

/** Makes a stored request to send. */
export function rawSend(more: Partial<RawSendRow> = {}): RawSendRow {
  return {
    request_id: "11111111-1111-4111-8111-111111111111",
    key_id: "k",
    chain_id: 31337,
    product_type: "Sandbox",
    operation: "orders/send",
    user_address: "0x01",
    wallet: "0x02",
    to_address: "0x03",
    call_data: Buffer.from("0102", "hex"),
    gas_limit: "100000",
    deadline: null,
    notional: null,
    input_hash: "0",
    client_order_id: null,
    delegation_epoch: null,
    claim_id: null,
    traceparent: null,
    state: "accepted",
    nonce: null,
    tx_hash: null,
    fill_reason: null,
    mined_block: null,
    mined_block_hash: null,
    mined_success: null,
    mined_filler: null,
    outcome: null,
    err_code: null,
    revert: null,
    reason: null,
    accepted_at: new Date(5),
    ...more,
  };
}
