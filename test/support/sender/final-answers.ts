import { until } from "../assert/until.ts";
import type { Send } from "../http/answers.ts";
import type { Partner } from "../http/partner.ts";
import { CONFIRMATIONS, withKey } from "./sending.ts";
import type { Stack } from "./stack.ts";

/** The call of an order: repeated, it answers the order's outcome. */
export interface SentOrder {
  body: unknown;
  idempotencyKey: string;
}

/**
 * Repeats calls until each is final, one call after the other: the next ones are mined while one is waited for. Blocks are mined on top of
 * all, instead of waited for.
 */
export async function finalAnswers(
  chain: Stack["chain"],
  partner: Partner,
  sent: readonly SentOrder[],
): Promise<Send[]> {
  const when = async (what: string, holds: (answer: Send) => boolean): Promise<Send[]> => {
    const answers: Send[] = [];
    for (const { body, idempotencyKey } of sent) {
      const answer = await until(`an order is ${what}`, async () => {
        const { data } = (await partner.post<Send>("/orders/send", body, withKey(idempotencyKey))).body;
        return data !== null && holds(data) && data;
      });
      answers.push(answer);
    }
    return answers;
  };
  await when("mined, or final", ({ status, final }) => final || status === "confirmed");
  await chain.mine({ blocks: CONFIRMATIONS });
  return when("final", ({ final }) => final);
}
