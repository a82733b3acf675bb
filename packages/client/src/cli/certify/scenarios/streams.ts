import { setTimeout as delay } from "node:timers/promises";
import type { TradingEvent } from "../../../index.ts";
import type { Outcome } from "../program.ts";
import type { HttpExchange } from "../proxy.ts";
import { finding } from "../rules.ts";
import { type Bench, describe, resultFinding, type Scenario } from "../scenario.ts";
import type { FrameFate, StreamFault, StreamFrame } from "../stream.ts";
import { withUnknown } from "./orders.ts";

const QUANTITY = "0.5";
const PART = "0.2";
/** Pause that a stream asks for, so that reconnecting at each event takes no minute. */
const RETRY_MS = 50;
const UNKNOWN_TYPE = "certify.unknown";
/** Type of an event that gets an unknown one in the stream; no order needs it. */
const RENAMED_TYPE = "send.confirmed";
const POLL_MS = 100;
/** Time in which a program should reconnect a silent stream: twice what the guide says. */
const SILENCE_MS_MAX = 60_000;

const isStream = ({ uri }: HttpExchange) => uri.startsWith("/api/v1/events/stream");
const isEvent = ({ type }: StreamFrame) => type !== null && type !== "heartbeat" && type !== "closing";
const streams = (bench: Bench) => bench.exchanges().filter(isStream);

/** An order that ended, and its events. */
interface Story {
  orderId: string;
  events: TradingEvent[];
}

/** Fills an order in two steps. Its events are in the log when this returns. */
async function tellStory({ market }: Bench, after: string): Promise<Story> {
  const { orderId } = await market.place(QUANTITY);
  await market.fill(orderId, PART);
  await market.waitFor(orderId, "Partial filled");
  await market.fill(orderId);
  return { orderId, events: await market.eventsUntil(after, orderId, "order.filled") };
}

/** Places the order whose end ends the task, and returns the events until then. */
async function tellEnd({ market }: Bench, after: string, orderId: string): Promise<TradingEvent[]> {
  await market.fill(orderId);
  return market.eventsUntil(after, orderId, "order.filled");
}

const idsOf = (result: Readonly<Record<string, unknown>> | null): unknown[] =>
  Array.isArray(result?.events) ? result.events : [];
const statusOf = (result: Readonly<Record<string, unknown>>, orderId: string): unknown =>
  (result.orders as Record<string, unknown> | undefined)?.[orderId];

export const cutStream: Scenario = {
  title: "The stream breaks at each event: after it, in the middle of the next, by closing; one comes twice",
  rules: ["resume", "all-events", "events-once", "unknown-event"],
  async run(bench) {
    const { market } = bench;
    const after = await market.cursor();
    await tellStory(bench, after);
    // Rests from now on, so that its id is known when the program starts.
    const last = await market.place(QUANTITY);
    const delivered = new Map<HttpExchange, string[]>();
    bench.proxy.setFaults((exchange) => {
      if (!isStream(exchange)) return null;
      const ids: string[] = [];
      delivered.set(exchange, ids);
      return { kind: "stream", fault: cutting(streams(bench).length - 1, ids) };
    });
    const running = bench.start("follow", { after, until: last.orderId });
    const expected = await tellEnd(bench, after, last.orderId);
    const outcome = await running.ended;
    return {
      resume: judgeResume(bench, delivered),
      ...judgeEvents(outcome, expected),
    };
  },
};

/** Returns the fault of one connection: it ends after its first event, each time in another way. */
function cutting(connection: number, ids: string[]): StreamFault {
  let isPast = false;
  return (frame) => {
    const text = `${renamed(frame.text).replace(/^retry: \d+/m, `retry: ${RETRY_MS}`)}\n\n`;
    const pass = (fate: Partial<FrameFate> = {}): FrameFate => {
      if (frame.id !== null) ids.push(frame.id);
      return { send: [text], connection: "open", ...fate };
    };
    if (isPast) return { send: [text.slice(0, text.length >> 1)], connection: "break" };
    if (!isEvent(frame)) return pass();
    isPast = true;
    const closing = `retry: ${RETRY_MS}\nevent: closing\ndata: {"reason":"shutdown"}\n\n`;
    const fates: Partial<FrameFate>[] = [
      { connection: "break" },
      {},
      { send: [text, closing], connection: "end" },
      { send: [text, text], connection: "break" },
    ];
    return pass(fates[connection % fates.length]);
  };
}

/** Gives one type of event a name, and its data fields, that no guide has. */
const renamed = (text: string): string =>
  text.includes(`event: ${RENAMED_TYPE}`) ? withUnknown(text.replaceAll(RENAMED_TYPE, UNKNOWN_TYPE)) : text;

function judgeResume(bench: Bench, delivered: ReadonlyMap<HttpExchange, readonly string[]>) {
  const connections = streams(bench);
  const wrong = connections.slice(1).filter((connection, index) => {
    const before = connections.slice(0, index + 1).flatMap((each) => delivered.get(each) ?? []);
    return before.length > 0 && lastIdOf(connection) !== before.at(-1);
  });
  const shown = connections.map((each) => `${describe(each)}, Last-Event-ID ${lastIdOf(each) ?? "none"}`);
  return finding(connections.length > 1 && wrong.length === 0, ...shown);
}

/** Returns the id that a connection continues behind; a header has precedence. */
const lastIdOf = ({ headers, uri }: HttpExchange): string | null =>
  headers["last-event-id"] ?? new URL(uri, "http://localhost").searchParams.get("after");

function judgeEvents(outcome: Outcome, expected: readonly TradingEvent[]) {
  const ids = idsOf(outcome.result);
  // A program may leave out what it does not know.
  const missed = expected.filter(({ eventId, type }) => type !== RENAMED_TYPE && !ids.includes(eventId));
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  const names = missed.map(({ sequence, type, eventId }) => `missed ${sequence} ${type} ${eventId}`);
  const count = `${expected.length} events in the log, from ${expected[0]?.sequence} on`;
  return {
    "all-events": resultFinding(outcome, () => missed.length === 0, count, ...names),
    "events-once": resultFinding(outcome, () => twice.length === 0, ...twice.map((id) => `twice ${id}`)),
    "unknown-event": resultFinding(outcome, () => true, `${RENAMED_TYPE} came as ${UNKNOWN_TYPE}`),
  };
}

export const reorg: Scenario = {
  title: "A reorg takes back the fill of an order, which is rejected then",
  rules: ["reorg"],
  async run(bench) {
    const { market } = bench;
    const after = await market.cursor();
    const running = await startFollowing(bench, after);
    const { orderId } = await market.place(QUANTITY);
    await market.mineApart();
    await market.fill(orderId);
    const told = await market.eventsUntil(after, orderId, "order.filled");
    const filled = told.at(-1);
    await untilDelivered(bench, running.program.isOver, filled?.eventId ?? "");
    await market.takeBack(filled?.blockNumber ?? 0);
    await market.waitFor(orderId, "New");
    await market.reject(orderId);
    const events = await market.eventsUntil(after, orderId, "order.rejected");
    await market.fill(running.until);
    const outcome = await running.program.ended;
    const shown = events
      .filter(({ data }) => "orderId" in data && data.orderId === orderId)
      .map(
        ({ sequence, type, retracts }) => `${sequence} ${type}${retracts ? `, retracts ${retracts}` : ""}`,
      );
    return {
      reorg: resultFinding(outcome, (result) => statusOf(result, orderId) === "Rejected", ...shown),
    };
  },
};

async function startFollowing(bench: Bench, after: string) {
  const { orderId: until } = await bench.market.place(QUANTITY);
  return { until, program: bench.start("follow", { after, until }) };
}

/** Waits until the program was sent a text, or has ended. */
async function untilDelivered(bench: Bench, isOver: () => boolean, text: string): Promise<void> {
  await bench.market.until("an event to reach the program", () =>
    isOver() || bench.delivered().some((each) => each.includes(text)) ? true : null,
  );
}

export const silence: Scenario = {
  title: "The stream falls silent, and stays open",
  rules: ["silence"],
  async run(bench) {
    const after = await bench.market.cursor();
    bench.proxy.setFaults((exchange) =>
      isStream(exchange) && streams(bench).length === 1 ? { kind: "stream", fault: mute() } : null,
    );
    const { until, program } = await startFollowing(bench, after);
    const endMs = Date.now() + SILENCE_MS_MAX;
    while (streams(bench).length < 2 && !program.isOver() && Date.now() < endMs) await delay(POLL_MS);
    const isKept = streams(bench).length > 1;
    if (isKept) await bench.market.fill(until);
    const outcome = await program.ended;
    const shown = streams(bench).map(describe);
    return shown.length === 0 ? {} : { silence: resultFinding(outcome, () => isKept, ...shown) };
  },
};

/** Returns the fault of a connection of which nothing comes after its first event. */
function mute(): StreamFault {
  let isMute = false;
  return (frame) => {
    if (isMute) return { send: [], connection: "open" };
    isMute = isEvent(frame);
    return { send: [`${frame.text}\n\n`], connection: "open" };
  };
}
