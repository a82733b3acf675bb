import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import { hex } from "../../../test/support/assert/sample.ts";
import { present } from "../../../test/support/assert/until.ts";
import { operate } from "../../../test/support/program/command.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../../test/support/sender/sender-fixture.ts";

/** An operator's view of requests that are not final, and of the log of events. */
let fixture: SenderFixture;
let one: DrivenWallet;

beforeAll(async () => {
  fixture = await startSenderFixture();
  one = await fixture.makeWallet();
});
afterAll(() => fixture?.close());

const run = (...args: string[]) => operate(args, { DATABASE_URL: fixture.url });
const queued = async (...args: string[]) => {
  const { code, out, err } = await run("queue", "list", "--json", ...args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as { requestId: string; state: string; waitsFor: string; nonce: number | null }[];
};
const whyOf = async (requestId: string) =>
  (await queued()).find((each) => each.requestId === requestId)?.waitsFor;

it("shows what is not final, the oldest first, and what each waits for", async () => {
  expect(await run("queue")).toMatchObject({ code: 0, out: "", err: "Nothing is queued.\n" });
  const first = await one.send();
  await one.cycle();
  const second = await one.send();
  const rows = await queued();
  expect(rows.map(({ requestId, state }) => [requestId, state])).toEqual([
    [first, "broadcast"],
    [second, "accepted"],
  ]);
  expect(rows[0]?.waitsFor).toMatch(/^a block; broadcast 1 times, last answer taken$/);
  expect(rows[1]?.waitsFor).toBe("its turn at the wallet");
  expect(await queued("--state", "accepted")).toHaveLength(1);
  expect(await queued("--limit", "1")).toMatchObject([{ requestId: first }]);
  expect(
    await queued("--wallet", getAddress(one.address), "--chain", String(one.chain.chainId)),
  ).toHaveLength(2);
  expect(await queued("--chain", "1")).toEqual([]);
  await run("sending", "halt", "--chain", String(one.chain.chainId));
  expect(await whyOf(second)).toContain("`sending resume`");
  await run("sending", "resume", "--chain", String(one.chain.chainId));
  const set = (assignments: string) =>
    fixture.pool.query(`UPDATE app.delegatee_wallet SET ${assignments} WHERE address = $1`, [one.address]);
  await set("state = 'paused', state_reason = 'insufficient funds'");
  expect(await whyOf(second)).toBe("its wallet, which is paused (insufficient funds)");
  await set("state = 'active', state_reason = NULL");
  await fixture.pool.query("UPDATE app.delegation SET blocked = true WHERE user_address = $1", [one.user]);
  expect(await whyOf(second)).toBe("its cancellation: the delegation is disabled");
  await fixture.pool.query("UPDATE app.delegation SET blocked = false WHERE user_address = $1", [one.user]);
  const table = (await run("queue")).out.split("\n");
  expect(table[0]).toMatch(/^REQUEST +SCOPE +OPERATION +STATE +AGE +NONCE +WALLET +API KEY +WAITS FOR$/);
  expect(table[1]).toContain(getAddress(one.address));
});

it("shows a request with what was signed for it, and never the signed bytes", async () => {
  const [oldest] = await queued("--limit", "1");
  const { requestId } = present(oldest, "a queued request");
  const [attempt] = await one.attempts(requestId);
  const shown = await run("queue", "show", requestId);
  const document = JSON.parse((await run("queue", "show", requestId, "--json")).out);
  expect(document).toMatchObject({
    requestId,
    nonce: expect.any(Number),
    attempts: [{ kind: "call", txHash: attempt?.tx_hash }],
  });
  expect(shown.out).toContain(attempt?.tx_hash);
  const bytes = present(attempt?.signed_bytes, "signed bytes").toString("hex");
  expect(shown.out + JSON.stringify(document)).not.toContain(bytes.slice(0, 40));
});

it("refuses what is no request, no wallet and no state", async () => {
  const unknown = "6f1c1f52-3f0e-4b44-9f7e-2f0a3a0c0d11";
  expect(await run("queue", "show", unknown)).toMatchObject({
    code: 1,
    err: `error: there is no request ${unknown}\n`,
  });
  expect(await run("queue", "show", "1' OR '1'='1")).toMatchObject({ code: 2, out: "" });
  expect(await run("queue", "list", "--state", "final")).toMatchObject({ code: 2 });
  expect(await run("queue", "list", "--wallet", "0x12")).toMatchObject({ code: 2 });
  expect(await run("queue", "list", "--limit", "0")).toMatchObject({ code: 2 });
});

it("shows the log of events, the newest first, by key, type, object and time", async () => {
  const { caller } = one;
  const { rows: keys } = await fixture.pool.query("SELECT api_key FROM app.api_key WHERE key_id = $1", [
    caller.keyId,
  ]);
  const apiKey = keys[0].api_key;
  await fixture.pool.query(
    `INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, created_at, data)
     SELECT $1, $2, $3, n, gen_random_uuid(), CASE n WHEN 2 THEN 'order.filled' ELSE 'order.created' END, 'orders',
       now() - n * interval '1 hour', json_build_object('orderId', '0x' || lpad(n::text, 64, '0'))
     FROM generate_series(1, 3) n`,
    [caller.keyId, caller.chainId, caller.productType],
  );
  const list = async (...args: string[]) =>
    (JSON.parse((await run("events", "list", "--json", ...args)).out) as { sequence: number }[]).map(
      ({ sequence }) => sequence,
    );
  expect(await list()).toEqual([1, 2, 3]);
  expect(await list("--type", "order.filled")).toEqual([2]);
  expect(await list("--object", hex(32, 3), "--since", "1d")).toEqual([3]);
  expect(await list("--object", hex(32, 3), "--since", "150m")).toEqual([]);
  expect(await run("events", "list", "--object", hex(32, 3))).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("--object needs --since"),
  });
  expect(await list("--since", "150m")).toEqual([1, 2]);
  expect(await list("--limit", "2")).toEqual([1, 2]);
  expect(await list("--key", apiKey, "--limit", "1")).toEqual([1]);
  expect(await list("--key", "pk_nobody")).toEqual([]);
  // A token's contract may have such a name, and PostgreSQL refuses to read such JSON.
  await fixture.pool.query("UPDATE app.event SET data = $1::text::json WHERE sequence = 2", [
    JSON.stringify({ orderId: hex(32, 2), symbol: "\0" }),
  ]);
  expect(await list()).toEqual([1, 2, 3]);
  expect(await list("--object", hex(32, 3), "--since", "1d")).toEqual([3]);
  expect((await run("events", "list")).out).toMatch(/^TIME +TYPE +API KEY +SCOPE/);
  expect(await run("events", "list", "--since", "yesterday")).toMatchObject({ code: 2 });
});
