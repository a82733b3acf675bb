import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { until } from "../assert/until.ts";
import type { Partner } from "./partner.ts";

/** Reads that are repeated until they are stopped. */
export interface ReadLoad {
  /** How many requests were answered with their data. */
  answered: number;
  /** HTTP status and errCode of those that were refused. */
  refusals: string[];
  /** Why requests got no answer. */
  failures: string[];
  stop(): Promise<void>;
}

/** Between an answer and the next call, so that what starts or stops meanwhile has the processor too. */
const PAUSE_MS = 25;

/** Starts so many callers who ask again once they are answered; one who is asked to close the connection leaves. */
export function startReadLoad(partner: Partner, callers: number): ReadLoad {
  const load: ReadLoad = { answered: 0, refusals: [], failures: [], stop };
  let stopped = false;
  async function call(): Promise<void> {
    while (!stopped) {
      try {
        const { status, headers, body } = await partner.get("/orders", { limit: 1 });
        if (status === 200) load.answered += 1;
        else load.refusals.push(`${status} ${body.errCode}`);
        if (headers.get("connection") === "close") return;
        await sleep(PAUSE_MS);
      } catch (error) {
        load.failures.push(inspect(error));
      }
    }
  }
  const running = Promise.all(Array.from({ length: callers }, call));
  async function stop(): Promise<void> {
    stopped = true;
    await running;
  }
  return load;
}

export const answered = (load: ReadLoad, count: number) =>
  until(`${count} answers`, () => load.answered >= count);
