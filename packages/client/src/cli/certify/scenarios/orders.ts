import { setTimeout as delay } from "node:timers/promises";
import { unitsOf } from "../amount.ts";
import type { Outcome, Running } from "../program.ts";
import type { Fault, HttpExchange } from "../proxy.ts";
import { type Findings, finding } from "../rules.ts";
import { type Bench, describe, resultFinding, type Scenario, timeOf } from "../scenario.ts";

/** Has more digits than a float can hold. */
const QUANTITY = "0.123456789012345678";
const PART = "0.023456789012345678";
const RETRY_AFTER_S = 3;
/** Timers may fire this much early. */
const EARLY_MS = 50;
/** Shortest pause that counts as one. */
const PAUSE_MS_MIN = 100;
const POLL_MS = 50;
/** Time that a program gets to see a change, and then to end too early. */
const SEEN_MS_MAX = 5_000;
const RASH_MS = 1_000;

const isSend = ({ method, uri }: HttpExchange) => method === "POST" && uri === "/api/v1/orders/send";
const sends = (bench: Bench) => bench.exchanges().filter(isSend);
/** Returns true where the service accepted a request, whatever answer the program got. */
const isAccepted = ({ envelope }: HttpExchange) => envelope?.code === 200;
const requestIdOf = ({ envelope }: HttpExchange) => (envelope?.data as { requestId?: string })?.requestId;

interface Followed {
  outcome: Outcome;
  orderId: string | null;
}

/**
 * Runs the task `order`, and decides what becomes of the order once it rests; also of a second one, where the program causes several.
 * @param decide is not called where the program ends without an order
 */
async function followOrder(
  bench: Bench,
  decide: (orderId: string, running: Running) => Promise<unknown>,
): Promise<Followed> {
  const running = bench.start("order", { order: bench.market.restingOrder(QUANTITY) });
  const orders = new Map<string, string>();
  for (;;) {
    // Read before the requests: one that ended in between has no more of them.
    const isOver = running.isOver();
    for (const requestId of requestsOf(bench)) {
      if (orders.has(requestId)) continue;
      const { orderId } = await bench.market.orderOfSend(requestId);
      orders.set(requestId, orderId);
      await decide(orderId, running);
    }
    if (isOver) break;
    await delay(POLL_MS);
  }
  return { outcome: await running.ended, orderId: [...orders.values()][0] ?? null };
}

/** Returns the requests that the service accepted, each once. */
const requestsOf = (bench: Bench): string[] => {
  const ids = sends(bench).filter(isAccepted).map(requestIdOf);
  return [...new Set(ids.filter((id) => id !== undefined))];
};

const fillOf = (bench: Bench) => (orderId: string) => bench.market.fill(orderId);

/** Applies a fault to the first requests that a condition holds for, one each. */
function inTurn(matches: (exchange: HttpExchange) => boolean, faults: readonly Fault[]) {
  const left = [...faults];
  return (exchange: HttpExchange): Fault | null => (matches(exchange) ? (left.shift() ?? null) : null);
}

export const lostAnswers: Scenario = {
  title: "The answers of a send and of a read are lost",
  rules: ["lost-answer", "idempotency-key", "one-order", "read-repeated"],
  async run(bench) {
    const lose = inTurn(isSend, [{ kind: "drop" }, { kind: "cut" }]);
    const loseRead = inTurn(({ method }) => method === "GET", [{ kind: "drop" }]);
    bench.proxy.setFaults((exchange) => lose(exchange) ?? loseRead(exchange));
    const { outcome } = await followOrder(bench, fillOf(bench));
    return { ...judgeSends(bench, outcome), ...judgeReads(bench) };
  },
};

function judgeSends(bench: Bench, outcome: Outcome): Findings {
  const tries = sends(bench);
  const evidence = tries.map(describe);
  const keys = new Set(tries.map(({ headers }) => headers["idempotency-key"]));
  const bodies = new Set(tries.map(({ body }) => body));
  const requests = requestsOf(bench);
  const isRepeated = tries.length > 2;
  return {
    "lost-answer": resultFinding(outcome, ({ status }) => isRepeated && status === "Filled", ...evidence),
    ...(tries.length > 1 && {
      "idempotency-key": finding(keys.size === 1 && !keys.has(undefined) && bodies.size === 1, ...evidence),
    }),
    ...(requests.length > 0 && {
      "one-order": finding(requests.length === 1, `requests to send: ${requests.join(", ")}`),
    }),
  };
}

function judgeReads(bench: Bench): Findings {
  const reads = bench.exchanges().filter(({ method }) => method === "GET");
  const lost = reads.find(({ fault }) => fault !== null);
  if (lost === undefined) return {};
  const repeat = reads.slice(reads.indexOf(lost) + 1).find(({ uri }) => uri === lost.uri);
  return { "read-repeated": finding(repeat !== undefined, ...[lost, repeat ?? []].flat().map(describe)) };
}

/** Returns the body of a failure, as the service writes it. */
const failure = (code: number, errCode: string) =>
  JSON.stringify({
    code,
    errMsg: "Refused by the certification",
    data: null,
    uuid: "00000000-0000-4000-8000-000000000000",
    t: Date.now(),
    errCode,
    param: null,
    retryable: true,
  });

export const rateLimited: Scenario = {
  title: "A send is answered 429 with Retry-After",
  rules: ["retry-after"],
  async run(bench) {
    const headers = { "retry-after": String(RETRY_AFTER_S) };
    const body = failure(429, "RATE_LIMITED");
    bench.proxy.setFaults(inTurn(isSend, [{ kind: "answer", status: 429, headers, body }]));
    await followOrder(bench, fillOf(bench));
    const pauses = pausesOf(sends(bench));
    const isKept = pauses.length > 0 && pauses.every((ms) => ms >= RETRY_AFTER_S * 1000 - EARLY_MS);
    return sends(bench).length === 0
      ? {}
      : { "retry-after": finding(isKept, `Retry-After was ${RETRY_AFTER_S} s`, ...pausesText(bench)) };
  },
};

/** Returns the times from each answer to the next request, milliseconds. */
const pausesOf = (tries: readonly HttpExchange[]) =>
  tries.slice(1).map(({ atMs }, index) => atMs - (tries[index]?.answeredAtMs ?? atMs));

const pausesText = (bench: Bench) => sends(bench).map(describe);

export const unavailable: Scenario = {
  title: "A send is answered 503 twice: by the service with an unknown errCode, by a proxy",
  rules: ["backoff", "unknown-errcode"],
  async run(bench) {
    const html = { "content-type": "text/html" };
    const faults: Fault[] = [
      { kind: "answer", status: 503, body: failure(503, "CERTIFY_UNKNOWN") },
      { kind: "answer", status: 503, headers: html, body: "<html>503 Service Unavailable</html>" },
    ];
    bench.proxy.setFaults(inTurn(isSend, faults));
    await followOrder(bench, fillOf(bench));
    const tries = sends(bench);
    if (tries.length === 0) return {};
    const pauses = pausesOf(tries).slice(0, faults.length);
    const isKept = pauses.length === faults.length && pauses.every((ms) => ms >= PAUSE_MS_MIN);
    return {
      backoff: finding(isKept, ...pausesText(bench)),
      "unknown-errcode": finding(tries.length > 1, ...pausesText(bench)),
    };
  },
};

export const refused: Scenario = {
  title: "A send is refused: the balance is too low",
  rules: ["refusal-final", "refusal-reported"],
  async run(bench) {
    const outcome = await bench.start("order", { order: bench.market.unaffordableOrder() }).ended;
    const tries = sends(bench);
    const errCode = tries[0]?.envelope?.errCode;
    if (errCode === undefined) return {};
    const evidence = tries.map(describe);
    return {
      "refusal-final": finding(tries.length === 1, ...evidence),
      "refusal-reported": resultFinding(outcome, (result) => result.errCode === errCode, ...evidence),
    };
  },
};

export const lateFill: Scenario = {
  title: "An order is partly filled, a cancel is requested, and the rest is filled all the same",
  rules: ["open-not-ended", "late-fill", "exact-amounts"],
  async run(bench) {
    const { market } = bench;
    const steps: string[] = [];
    const { outcome, orderId } = await followOrder(bench, async (id, running) => {
      await market.fill(id, PART);
      await market.waitFor(id, "Partial filled");
      steps.push(await settleDown(bench, running, '"Partial filled"'));
      await market.cancel(id);
      await market.waitFor(id, "canceling");
      steps.push(await settleDown(bench, running, '"canceling"'));
      await market.fill(id);
    });
    if (orderId === null) return {};
    const order = await bench.trading.orders.get(orderId);
    const filled = order.historyOrder?.filledQuantity;
    const isEarly = steps.some((step) => step.endsWith("had ended"));
    const truth = `the service: order ${orderId} is ${order.status}, ${filled} filled`;
    return {
      "open-not-ended": finding(!isEarly, ...steps),
      "late-fill": resultFinding(outcome, ({ status }) => status === order.status, truth),
      "exact-amounts": resultFinding(
        outcome,
        ({ filledQuantity }) => unitsOf(filledQuantity) === unitsOf(filled),
        truth,
      ),
    };
  },
};

/** Waits until the program was sent a text, and then as long as a rash one takes to end. */
async function settleDown(bench: Bench, running: Running, text: string): Promise<string> {
  for (const endMs = Date.now() + SEEN_MS_MAX; Date.now() < endMs; ) {
    if (running.isOver() || bench.delivered().some((each) => each.includes(text))) break;
    await delay(POLL_MS);
  }
  if (!running.isOver()) await delay(RASH_MS);
  const state = running.isOver() ? "had ended" : "went on";
  return `${timeOf(Date.now())} the order is ${text.replaceAll('"', "")}; the program ${state}`;
}

export const rejected: Scenario = {
  title: "An order is rejected, and every answer and event has fields and headers that no guide names",
  rules: ["ended-state", "unknown-field"],
  async run(bench) {
    const headers = { "x-certify-unknown": "1" };
    bench.proxy.setFaults(({ uri }) =>
      uri.startsWith("/api/v1/events/stream")
        ? {
            kind: "stream",
            fault: ({ text }) => ({ send: [`${withUnknown(text)}\n\n`], connection: "open" }),
          }
        : { kind: "rewrite", text: withUnknown, headers },
    );
    const { outcome, orderId } = await followOrder(bench, (id) => bench.market.reject(id));
    if (orderId === null) return { "unknown-field": resultFinding(outcome, () => false) };
    const { status } = await bench.trading.orders.get(orderId);
    const truth = `the service: order ${orderId} is ${status}`;
    return {
      "ended-state": resultFinding(outcome, (result) => result.status === status, truth),
      "unknown-field": resultFinding(
        outcome,
        (result) => result.status !== undefined,
        "every answer, event and data had the field certifyUnknown",
      ),
    };
  },
};

/** Adds a field to each object of a JSON text, in an answer or a frame. */
export const withUnknown = (text: string): string => text.replaceAll('{"', '{"certifyUnknown":{},"');
