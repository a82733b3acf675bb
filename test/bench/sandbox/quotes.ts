import { setTimeout as sleep } from "node:timers/promises";
import { present, until } from "../../support/assert/until.ts";
import { createControl } from "../../support/http/control.ts";
import { type EventStream, openStream } from "../../support/http/event-stream.ts";
import { createCpuMeter } from "./cpu.ts";
import { at99, KEYS, makeKeys, STREAMS_PER_KEY } from "./events.ts";
import type { SandboxScenario } from "./scenario.ts";
import { quantiles } from "./visible.ts";

const PATH = "/api/v1/prices/stream";
const SYMBOL = "AAPL";
const CHANGES = 40;
/** Dollars of the first change: no price of the sandbox's own has so many. */
const FIRST_PRICE = 100_000;
const WHAT = "change of a price to a stream";

/** Measures prices in many streams of all stocks: the delay from a change at the provider, and the processor time of a message. */
export const quotes: SandboxScenario = async (context, report) => {
  const { isQuick, state, directory, adminUrl } = context;
  const keys = await makeKeys(context, isQuick ? KEYS / 10 : KEYS);
  const { post } = createControl(state.controlUrl);
  /** Last price by stream. */
  const shown = new Map<EventStream, string>();
  const latencies: number[] = [];
  let [messages, changedAt, price] = [0, 0, ""];
  const onFrame: Parameters<typeof openStream>[2] = {
    path: PATH,
    onFrame: ({ event, data }, stream) => {
      if (event !== "price" || data === null) return;
      messages += 1;
      // The quote's time changes, too: the first message of a price is the change.
      if (!data.startsWith(`{"symbol":"${SYMBOL}"`) || !data.includes(`"price":"${price}"`)) return;
      if (shown.get(stream) !== price) latencies.push(performance.now() - changedAt);
      shown.set(stream, price);
    },
  };
  const streams: EventStream[] = [];
  for (const key of keys)
    for (let n = 0; n < STREAMS_PER_KEY; n++) streams.push(await openStream(state.baseUrl, key, onFrame));
  const change = async (n: number) => {
    // At any point of the interval between two reads of the provider.
    await sleep(Math.random() * 1_000);
    [changedAt, price] = [performance.now(), `${FIRST_PRICE + n}`];
    await post("/price", { symbol: SYMBOL, price });
    await until("every stream has the price", () => streams.every((stream) => shown.get(stream) === price));
  };
  await change(0);
  latencies.length = 0;
  const cpu = await createCpuMeter(directory, adminUrl);
  const [before, sentBefore, startedAt] = [cpu(), messages, performance.now()];
  const changes = isQuick ? CHANGES / 10 : CHANGES;
  for (let n = 1; n <= changes; n++) await change(n);
  const [after, sent, took] = [cpu(), messages - sentBefore, (performance.now() - startedAt) / 1_000];
  await post("/price", { symbol: SYMBOL, price: null });
  for (const stream of streams) stream.cut();
  const seconds = present(after.get("api"), "the api") - present(before.get("api"), "the api");
  report({
    scenario: "quotes",
    title: `${streams.length} streams over ${keys.length} keys, each of all stocks, whose quotes change all the time`,
    connections: streams.length,
    series: [],
    ratios: [],
    values: [
      ...quantiles(WHAT, latencies),
      at99(WHAT, latencies),
      { name: "messages a second", value: sent / took, unit: "" },
      { name: "processor time of the api, a second", value: seconds / took, unit: "s" },
      { name: "processor time of the api, a message", value: (seconds * 1_000_000) / sent, unit: "µs" },
    ],
  });
};
