import type { Answer } from "./connection.ts";
import type { Call } from "./job.ts";

/** Returns what is wrong with an answer, or null. */
export function problemOf(call: Call, { status, body }: Answer): string | null {
  if (status !== call.status) return `status ${status} in place of ${call.status}`;
  const missing = call.includes?.find((text) => !body.includes(text));
  if (missing !== undefined) return `${missing} is missing`;
  return call.rows ? problemOfRows(call.rows, body) : null;
}

function problemOfRows({ orderIds, total }: NonNullable<Call["rows"]>, body: string): string | null {
  const { data } = JSON.parse(body) as {
    data: { total: number | null; rows: { orderId: string | null }[] };
  };
  const given = data.rows.map(({ orderId }) => orderId);
  if (given.join() !== orderIds.join()) return `orders ${given.join()} in place of ${orderIds.join()}`;
  if (data.total !== total) return `a total of ${data.total} in place of ${total}`;
  return null;
}

/** Says which answer was wrong; nothing measured beside it counts. */
export function describeProblem(url: string, call: Call, answer: Answer, problem: string): string {
  const body = answer.body.length > BODY_SHOWN ? `${answer.body.slice(0, BODY_SHOWN)}…` : answer.body;
  return `a wrong answer from ${url}: ${call.method} ${call.path}: ${problem}\n  HTTP ${answer.status}: ${body}`;
}

const BODY_SHOWN = 1_000;
