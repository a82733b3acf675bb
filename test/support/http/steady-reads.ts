import { NotYetError } from "../assert/until.ts";
import type { Order } from "./answers.ts";
import { type LoggedEvent, readLog } from "./event-log.ts";
import type { Answer, Partner } from "./partner.ts";

/** Reads that are repeated until they are stopped. */
export interface SteadyReads {
  /** Returns the number of answers with data. */
  answered(): number;
  /**
   * @returns what an answer took back of those before it, each refusal that is not INDEXER_BEHIND and stands when repeated, and
   *   repetitions where there were too many
   */
  stop(): Promise<string[]>;
}

/** Four reads at a time stay below the rate limit of a key. */
const PAUSE_MS = 150;
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** Maximum of repeated reads, where there are few: each of two stalls of the machine affects the four reads once. */
const REPEATED_MAX = 8;
/** Maximum share of repeated reads, where there are many: a service that keeps refusing causes far more. */
const REPEATED_SHARE_MAX = 0.02;

/** Reads an order that is among the newest, the list, a balance and the log of events, again and again, and compares each answer with those before it. */
export function startSteadyReads(
  partner: Partner,
  { orderId, user }: { orderId: string; user: string },
): SteadyReads {
  const faults: string[] = [];
  let isOver = false;
  let answers = 0;
  let repeated = 0;

  /** Repeats a request where the database did not answer in time, like any client: a stalled machine takes longer, too. */
  async function persist<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const answer = await ask();
    if (answer.body.errCode !== "DATABASE_UNAVAILABLE") return answer;
    repeated += 1;
    return ask();
  }
  /** @returns the data; null where the index is not ready, or the answer is a fault */
  const accept = <T>(what: string, { body }: Answer<T>): T | null => {
    if (body.code === 200) {
      answers += 1;
      return body.data;
    }
    if (body.errCode !== "INDEXER_BEHIND") faults.push(`${what}: ${JSON.stringify(body)}`);
    return null;
  };
  const repeat = async (what: string, read: () => Promise<Answer<unknown> | null>) => {
    for (let seen = 0; !isOver; await pause()) {
      const block = Number((await read())?.headers.get("x-indexed-block") ?? seen);
      if (block < seen) faults.push(`${what}: block ${block} after ${seen}`);
      seen = Math.max(block, seen);
    }
  };
  const readOrder = async () => {
    const answer = await persist(() => partner.get(`/orders/${orderId}`));
    return accept("order", answer) === null ? null : answer;
  };
  const readBalance = async () => {
    const answer = await persist(() => partner.get(`/users/${user}/balance`));
    return accept("balance", answer) === null ? null : answer;
  };
  const readList = async () => {
    const answer = await persist(() => partner.get<{ rows: Order[] }>("/orders", { limit: 20 }));
    const data = accept("list", answer);
    if (data === null) return null;
    if (!data.rows.some((row) => row.orderId === orderId)) faults.push("list: the order is gone");
    return answer;
  };
  let log: LoggedEvent[] | null = null;
  const readEvents = async () => {
    const next = await readLog(partner).catch((error: unknown) => {
      if (!(error instanceof NotYetError)) throw error;
      if (error.message.includes("DATABASE_UNAVAILABLE")) repeated += 1;
      else if (!error.message.includes("INDEXER_BEHIND")) faults.push(`log: ${error.message}`);
      return null;
    });
    if (next === null) return null;
    if (log?.some(({ eventId }, index) => next[index]?.eventId !== eventId))
      faults.push("log: an event is gone");
    for (const event of next.slice(log?.length ?? next.length)) {
      if (event.type === "mapping.removed" || event.retracts !== null)
        faults.push(`log: ${JSON.stringify(event)} takes back an event`);
    }
    log = next;
    return null;
  };
  const running = Promise.all([
    repeat("order", readOrder),
    repeat("balance", readBalance),
    repeat("list", readList),
    repeat("log", readEvents),
  ]);
  return {
    answered: () => answers,
    async stop() {
      isOver = true;
      await running;
      if (repeated > Math.max(REPEATED_MAX, REPEATED_SHARE_MAX * answers))
        faults.push(`${repeated} reads were repeated, for ${answers} answers`);
      return faults;
    },
  };
}
