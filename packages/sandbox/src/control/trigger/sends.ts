import { setTimeout as delay } from "node:timers/promises";
import { restingOrder } from "./orders.ts";
import {
  type Cause,
  having,
  inSeconds,
  requireSending,
  type Scene,
  walletOf,
  withoutMining,
} from "./scene.ts";

/** Time that a deadline leaves the service to send, seconds. */
const BRIEF_S = 3;

async function sendOrder(scene: Scene, deadline?: number) {
  const order = await restingOrder(scene);
  const { requestId } = await scene.trading.orders.send({ ...order, deadline: deadline ?? order.deadline });
  return having("requestId", requestId);
}

async function submitted(scene: Scene) {
  await requireSending(scene);
  return withoutMining(scene, async () => scene.seen(await sendOrder(scene)));
}

async function confirmed(scene: Scene) {
  await requireSending(scene);
  return scene.seen(await sendOrder(scene));
}

/** Lets the deadline of an order pass while nothing is mined. */
async function failed(scene: Scene) {
  await requireSending(scene);
  const isSend = await withoutMining(scene, async () => {
    const sent = await sendOrder(scene, await inSeconds(scene, BRIEF_S));
    await delay((BRIEF_S + 1) * 1000);
    return sent;
  });
  return scene.seen(isSend);
}

async function enabled(scene: Scene) {
  const { trading } = scene;
  walletOf(scene);
  if ((await trading.oneClick.status()).status === "enable") await trading.oneClick.disable();
  await requireSending(scene);
  return scene.seen(having("status", "enable"));
}

async function disabled(scene: Scene) {
  await requireSending(scene);
  await scene.trading.oneClick.disable();
  return scene.seen(having("status", "disabled"));
}

export const sendCauses = {
  "send.submitted": submitted,
  "send.confirmed": confirmed,
  "send.failed": failed,
  "delegation.enabled": enabled,
  "delegation.disabled": disabled,
} satisfies Record<string, Cause>;
