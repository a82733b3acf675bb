import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { isRefused, until } from "../assert/until.ts";
import type { Partner } from "./partner.ts";

/** Reads that are repeated until they are stopped. */
export interface ReadLoad {
  /** Number of requests that were answered with their data. */
  answered: number;
  /** HTTP status and errCode of those that were refused. */
  refusals: string[];
  /** Why requests that were taken got no answer. */
  failures: string[];
  /** Number of callers that were asked to close the connection, and left. */
  left: number;
  /** Number of callers whose connection was refused, and that left. */
  unreached: number;
  stop(): Promise<void>;
}

/** Between an answer and the next call, so that what starts or stops meanwhile has the processor too. */
const PAUSE_MS = 25;

/** Starts so many callers who ask again once they are answered, until they are asked to leave or find nobody. */
export function startReadLoad(partner: Partner, callers: number): ReadLoad {
  const load: ReadLoad = { answered: 0, refusals: [], failures: [], left: 0, unreached: 0, stop };
  let stopped = false;
  async function call(): Promise<void> {
    while (!stopped) {
      try {
        const { status, headers, body } = await partner.get("/orders", { limit: 1 });
        if (status === 200) load.answered += 1;
        else load.refusals.push(`${status} ${body.errCode}`);
        if (headers.get("connection") === "close") {
          load.left += 1;
          return;
        }
      } catch (error) {
        if (isRefused(error)) {
          load.unreached += 1;
          return;
        }
        load.failures.push(inspect(error));
      }
      await sleep(PAUSE_MS);
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
