import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { LONG } from "../support/assert/long.ts";
import { present, until } from "../support/assert/until.ts";
import { createPartner, type Partner, type PartnerKey } from "../support/http/partner.ts";
import { enableUser, inAnHour, withKey } from "../support/sender/sending.ts";
import { type Stack, startStack, untilReady } from "../support/sender/stack.ts";

/**
 * docs/faults.md, rows 102 and 103: apis that die while they cancel many orders, and apis and workers that die while a switch is armed, renewed
 * and carried out.
 */
const [CRASHING_API, CRASHING_WORKER] = [
  "test/support/sender/crashing-api.ts",
  "test/support/sender/crashing-worker.ts",
];

let stack: Stack;
let key: PartnerKey;
let partner: Partner;

beforeAll(async () => {
  stack = await startStack({ users: 1 });
  const [, api] = await Promise.all([
    stack.startWorker({ CRASH_AT: "fire:before" }, CRASHING_WORKER),
    stack.startApi(),
  ]);
  await untilReady(api.url);
  ({ key } = await enableUser(stack.sending, api.url, present(stack.product.users[0], "a user")));
  partner = createPartner(api.url, key);
});
afterAll(() => stack?.close());

interface Row {
  orderId: string;
  send: { requestId: string } | null;
}

/** Places limit orders, and waits until they rest. @returns their ids */
async function rest(count: number): Promise<string[]> {
  const limit = {
    symbol: "AAPL",
    side: "Buy",
    type: "Limit",
    timeInForce: "DAY",
    quantity: "1",
    price: "1.5",
  };
  for (let n = 0; n < count; n++)
    await partner.must(
      partner.post("/orders/send", { ...limit, deadline: inAnHour() }, withKey(randomUUID())),
    );
  return until("they rest", async () => {
    const query = { onChainStatus: "open", limit: "100" };
    const { rows } = await partner.must(partner.get<{ rows: Row[] }>("/orders", query));
    return rows.length === count && rows.map(({ orderId }) => orderId).sort();
  });
}

/** Returns the orders whose cancel was ever asked for, each as often as it was. */
const asked = async (): Promise<string[]> => {
  const { rows } = await stack.pool.query<{ order_id: string }>(
    "SELECT '0x' || encode(substring(call_data FROM 105 FOR 32), 'hex') AS order_id FROM app.send_request WHERE operation = 'orders/cancel'",
  );
  return rows.map(({ order_id }) => order_id).sort();
};

/** Waits until all cancels are confirmed, and their orders are being canceled. */
const untilCanceling = (orderIds: readonly string[]) =>
  until("all are being canceled", async () => {
    const query = { onChainStatus: "canceling", limit: "100" };
    const { rows } = await partner.must(partner.get<{ rows: Row[] }>("/orders", query));
    const found = rows.map(({ orderId }) => orderId);
    return orderIds.every((orderId) => found.includes(orderId));
  });

it.each(["submit:before-commit", "submit:after-commit"])(
  "row 102: an api killed at %s while it cancels many: a repeat finds all of them or none, and each is asked for once",
  async (point) => {
    const before = await asked();
    const ids = await rest(3);
    const victim = await stack.startApi({ CRASH_AT: point }, CRASHING_API);
    await untilReady(victim.url);
    const idempotencyKey = randomUUID();
    const call = (to: Partner) =>
      to.post<{ rows: Row[] }>("/orders/cancel/send", {}, withKey(idempotencyKey));
    await expect(call(createPartner(victim.url, key))).rejects.toThrow();
    await victim.program.exited;
    expect(await asked()).toEqual([...before, ...(point.includes("after") ? ids : [])].sort());
    const { rows } = await partner.must(call(partner));
    expect(rows.map(({ orderId }) => orderId).sort()).toEqual(ids);
    expect(rows.filter(({ send }) => send === null)).toEqual([]);
    await untilCanceling(ids);
    expect(await asked()).toEqual([...before, ...ids].sort());
  },
);

interface Armed {
  cancelAt: number | null;
  firedAt: number | null;
  now: number;
}

if (LONG)
  it("row 103: a switch is armed, renewed and carried out while apis and workers are killed: each order's cancel is asked for once", async () => {
    const before = await asked();
    const ids = await rest(4);
    const arm = (to: Partner) => to.post<Armed>("/orders/cancel-after", { seconds: 5 });
    const shown = async () =>
      present(
        (await partner.must(partner.get<{ cancelAfter: Armed & { requested: number } }>("/key"))).cancelAfter,
        "a switch",
      );
    const victim = await stack.startApi();
    await untilReady(victim.url);
    await partner.must(arm(createPartner(victim.url, key)));
    const lost = arm(createPartner(victim.url, key)).catch(() => null);
    victim.program.kill("SIGKILL");
    await lost;
    const renewed = await partner.must(arm(partner));
    expect(renewed).toMatchObject({ cancelAt: renewed.now + 5, firedAt: null });
    // Kills the worker once the time has passed, before it writes anything.
    const first = await stack.startWorker({ CRASH_AT: "fire:before" }, CRASHING_WORKER);
    await first.program.exited;
    expect({ asked: await asked(), firedAt: (await shown()).firedAt }).toEqual({
      asked: before,
      firedAt: null,
    });
    // A renewal counts until the switch is carried out.
    await partner.must(arm(partner));
    const second = await stack.startWorker({ CRASH_AT: "fire:after" }, CRASHING_WORKER);
    await second.program.exited;
    expect(await asked()).toEqual([...before, ...ids].sort());
    await Promise.all([stack.startWorker(), stack.startWorker()]);
    await untilCanceling(ids);
    expect(await shown()).toMatchObject({ cancelAt: null, requested: ids.length });
    expect(await asked()).toEqual([...before, ...ids].sort());
  });
