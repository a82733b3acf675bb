import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Hex, LocalAccount } from "viem";
import { CHANNELS, listen, type NotificationStream } from "../../src/db/notifications.ts";
import { present, until } from "../support/assert/until.ts";
import { send } from "../support/chain/product.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { marketBuy } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/** docs/faults.md, row 77: the worker that reads a chain's changes dies, with Ponder's own notifications. */
let stack: Stack;
let api: Started;
let partner: Partner;
let user: LocalAccount;
let notifications: NotificationStream;
let notified = 0;

beforeAll(async () => {
  stack = await startStack({ blockTimeSeconds: 1 });
  api = await stack.startApi();
  await untilReady(api.url);
  user = present(stack.product.users[0], "a user");
  partner = createPartner(api.url, await stack.sending.bind(user));
  notifications = listen(stack.databaseUrl, CHANNELS.index, pino({ level: "silent" }));
  notifications.subscribe(() => {
    notified += 1;
  });
});
afterAll(async () => {
  await notifications?.close();
  await stack?.close();
});

/** Places an order with the calldata of the api, whose suffix names the key. @returns its transaction */
async function place(notional: string): Promise<Hex> {
  const order = marketBuy(stack.sending, notional);
  const { body } = await partner.post<{ callData: Hex }>("/orders/calldata", {
    ...order,
    userAddress: user.address,
  });
  const { transactionHash } = await send(
    stack.product.client,
    user,
    stack.product.deployment.stockRouter,
    body.data.callData,
  );
  return transactionHash;
}

const isAttributed = async (txHash: Hex) =>
  (await stack.pool.query("SELECT source FROM app.transaction_claim WHERE tx_hash = $1", [txHash])).rows[0]
    ?.source === "attributed";
const lease = async () =>
  (await stack.pool.query("SELECT lease_owner, lease_epoch FROM app.change_reader")).rows;

it("row 77: one worker attributes, and another goes on when it is killed", async () => {
  const first = await stack.startWorker();
  const before = await place("21");
  await until("the order is attributed", () => isAttributed(before));
  const held = await lease();
  expect(held).toMatchObject([{ lease_epoch: "1" }]);
  const second = await stack.startWorker();
  const beside = await place("22");
  await until("the order is attributed", () => isAttributed(beside));
  expect(await lease()).toEqual(held);
  first.program.kill("SIGKILL");
  await first.program.exited;
  const after = await place("23");
  await until("the order is attributed", () => isAttributed(after));
  expect(await lease()).toMatchObject([{ lease_epoch: "2" }]);
  second.program.kill("SIGTERM");
  await second.program.exited;
  expect(await lease()).toMatchObject([{ lease_owner: null, lease_epoch: "2" }]);
});

it("Ponder notifies each block that it commits", async () => {
  const seen = notified;
  await until("five blocks are notified", () => notified >= seen + 5);
});
