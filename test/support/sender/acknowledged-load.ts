import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "@jest/globals";
import { present, until } from "../assert/until.ts";
import type { Send } from "../http/answers.ts";
import { createPartner, type Partner, type PartnerKey } from "../http/partner.ts";
import { marketBuy, type Sending, withKey } from "./sending.ts";

export interface AcknowledgedSend {
  body: ReturnType<typeof marketBuy>;
  idempotencyKey: string;
  requestId: string | null;
}

/** A load, and its acknowledged requests. A refusal other than a retryable DATABASE_UNAVAILABLE fails the test. */
export interface AcknowledgedLoad {
  sent: AcknowledgedSend[];
  recorded: string[];
  /** Nonces of accepted requests. */
  nonces: string[];
  stop(): Promise<void>;
}

/** The pace of each caller: the load leaves the processor to those that it tests. */
const PAUSE_MS = 100;

export const taken = ({ sent }: AcknowledgedLoad) =>
  sent.filter(({ requestId }) => requestId !== null).length;

/** Makes orders of different loads differ. */
let notionals = 10;

/** Sends orders one after the other through each api, each again until it is taken; records transactions; polls. */
export function startAcknowledgedLoad(
  sending: Sending,
  key: PartnerKey,
  urls: readonly string[],
): AcknowledgedLoad {
  let isOver = false;
  const load: AcknowledgedLoad = { sent: [], recorded: [], nonces: [], stop };
  const letIn = <T extends { body: { code: number } }>(nonce: string, answer: T): T => {
    if (answer.body.code === 200) load.nonces.push(nonce);
    else expect(answer.body).toMatchObject({ errCode: "DATABASE_UNAVAILABLE", retryable: true });
    return answer;
  };
  const sendOn = async (caller: Partner, whole: number) => {
    for (let count = 10; !isOver; count++) {
      const body = marketBuy(sending, `${whole}.${count}`);
      const one: AcknowledgedSend = { body, idempotencyKey: randomUUID(), requestId: null };
      load.sent.push(one);
      one.requestId = await until("an order is taken", async () => {
        const nonce = randomUUID();
        const options = { ...withKey(one.idempotencyKey), nonce };
        const answer = letIn(nonce, await caller.post<Send>("/orders/send", body, options));
        return answer.body.code === 200 && answer.body.data.requestId;
      });
      await sleep(PAUSE_MS);
    }
  };
  const recordOn = async (caller: Partner) => {
    while (!isOver) {
      const [nonce, txHash] = [randomUUID(), `0x${randomBytes(32).toString("hex")}`];
      const answer = letIn(nonce, await caller.post("/orders/tx", { txHash }, { nonce }));
      if (answer.body.code === 200) load.recorded.push(txHash);
      await sleep(PAUSE_MS);
    }
  };
  const pollOn = async (caller: Partner) => {
    while (!isOver) {
      const nonce = randomUUID();
      letIn(nonce, await caller.get("/orders", { limit: 5 }, { nonce }));
      await sleep(PAUSE_MS);
    }
  };
  const callers = urls.map((url) => createPartner(url, key));
  const running = Promise.all([
    ...callers.map((caller) => sendOn(caller, notionals++)),
    ...callers.map(pollOn),
    recordOn(present(callers[0], "an api")),
  ]);
  async function stop(): Promise<void> {
    isOver = true;
    await running;
  }
  return load;
}
