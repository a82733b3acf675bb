import { ENDPOINTS, STREAMS } from "../../../../src/api/endpoints.ts";
import { ERROR_CATALOGUE, type ErrCode, EVERYWHERE, UNAUTHORIZED } from "../../../../src/protocol/errors.ts";
import { type Effects, effectFaults } from "./effects.ts";
import { groups } from "./groups.ts";
import type { Exchange } from "./record.ts";
import { sendFaults, sendsOf } from "./sends.ts";

/**
 * Returns everything in a history that no order of events explains, in words; an empty list where one does.
 *
 * As Porcupine does for linearizability, it splits the history by the object that calls share (a nonce, an
 * Idempotency-Key, a request, a clientOrderId): the history is explained exactly where each part is. A part's states have
 * a known order, so an order of events exists exactly where no answer contradicts one that ended before it was asked for.
 * Histories are of a chain that is not rolled back.
 * @param effects where every recorded request has come to its end; without them nothing is said of the chain
 */
export function historyFaults(history: readonly Exchange[], effects?: Effects): string[] {
  const sends = sendsOf(history);
  return [
    ...history.flatMap((exchange) => answerFault(exchange)),
    ...nonceFaults(history),
    ...sendFaults(sends),
    ...(effects ? effectFaults(sends, effects) : []),
  ];
}

/** Returns the errCodes that a route's document names, save INTERNAL, which is always a fault. */
function documentedAt(method: string, path: string): readonly string[] | null {
  const sent = path.split("/");
  const matches = (pattern: string) => {
    const parts = pattern.split("/");
    return (
      parts.length === sent.length && parts.every((part, at) => part.startsWith(":") || part === sent[at])
    );
  };
  const literals = (pattern: string) => pattern.split("/").filter((part) => !part.startsWith(":")).length;
  const [endpoint] = [...ENDPOINTS, ...STREAMS]
    .filter((one) => one.method === method && matches(one.path))
    .sort((a, b) => literals(b.path) - literals(a.path));
  if (!endpoint) return null;
  return [...EVERYWHERE, ...endpoint.refusals].filter((errCode) => errCode !== "INTERNAL");
}

/** Successes are 200, authentication failures one code, and refusals those of their route, as the catalogue has them. */
function answerFault({ method, path, answer }: Exchange): string[] {
  if (!answer) return [];
  const { status, code, errCode } = answer;
  const told = `${method} ${path} answered HTTP ${status}, code ${code}, ${errCode}`;
  if (errCode === null) {
    const isSuccess = status === 200 && code === 200;
    const isUnauthorized = status === UNAUTHORIZED.status && code === UNAUTHORIZED.code;
    return isSuccess || isUnauthorized ? [] : [`${told}: not an answer of this API`];
  }
  if (!documentedAt(method, path)?.includes(errCode)) return [`${told}: not documented for this route`];
  const { status: rightStatus, code: rightCode } = ERROR_CATALOGUE[errCode as ErrCode];
  return status === rightStatus && code === rightCode ? [] : [`${told}: not as the catalogue has it`];
}

/** Returns where a nonce let more than one call in, or was refused although no other call can have consumed it. */
function nonceFaults(history: readonly Exchange[]): string[] {
  return [...groups(history, ({ apiKey, nonce }) => `${apiKey} ${nonce}`).values()].flatMap((calls) => {
    const [first] = calls;
    const letIn = calls.filter(({ answer }) => answer && isLetIn(answer.code));
    const refused = calls.filter(({ answer }) => answer?.code === UNAUTHORIZED.code);
    const faults = letIn.length > 1 ? [`nonce ${first?.nonce} let ${letIn.length} calls in`] : [];
    const unexplained = refused.filter(
      ({ ended }) => !calls.some((call) => isUse(call) && call.began < ended),
    );
    return [...faults, ...unexplained.map(({ path }) => `${path} was refused as unauthorized for no reason`)];
  });
}

/** Codes of what comes after authentication: success and business refusals. */
const isLetIn = (code: number) => code === 200 || code >= 10_000;
/** Returns whether a call may have consumed its nonce: it was let in, failed inside, or got no answer. */
const isUse = ({ answer }: Exchange) => answer === null || answer.code !== UNAUTHORIZED.code;
