import type { PageDocument } from "../service/ask.ts";
import type { LiveEvent } from "../service/live.ts";
import { type Answer, useAnswer } from "../service/use-ask.ts";
import type { Range } from "./series.ts";

/**
 * Reads a series that ends now, or a range before.
 * @param before how many ranges before now it ends
 */
export function useSeries<Result>(
  document: PageDocument<Result, { from?: number | null | undefined; to?: number | null | undefined }>,
  { name, seconds }: Range,
  concerns: (event: LiveEvent) => boolean,
  before = 0,
): Answer<Result> {
  return useAnswer(
    `${document.name} ${name} ${before}`,
    (ask, signal) => {
      const to = Math.floor(Date.now() / 1_000) - before * seconds;
      return ask(document, { from: to - seconds, ...(before > 0 ? { to } : {}) }, signal);
    },
    concerns,
  );
}

export const ofOrders = ({ event }: LiveEvent) => event.type.startsWith("order.");
export const ofSends = ({ event }: LiveEvent) => event.type.startsWith("send.");
