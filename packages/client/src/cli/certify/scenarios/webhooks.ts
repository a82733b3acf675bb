import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TradingEvent } from "../../../index.ts";
import { causeOf } from "../../exchange.ts";
import type { Running } from "../program.ts";
import { type Findings, finding } from "../rules.ts";
import { type Bench, resultFinding, type Scenario, timeOf } from "../scenario.ts";

const ANSWER_MS_MAX = 10_000;
const OLD_S = 600;
const QUANTITY = "0.5";
const PART = "0.2";

/** One request to the program's receiver, and its answer. */
interface Delivery {
  name: string;
  atMs: number;
  /** Null where no complete answer came in time. */
  status: number | null;
  result: string;
}

interface Variation {
  name: string;
  /** Signs with this; the webhook's own secret by default. */
  secret?: string;
  /** The first signature is of this secret, which the program does not have. */
  newSecret?: string;
  /** Seconds since the attempt, by the header. */
  ageS?: number;
  id?: string;
  body?: string;
}

export const deliveries: Scenario = {
  title:
    "Deliveries come twice, late, out of order, with a wrong signature, an old one, two of them, and bytes that a parser changes",
  rules: [
    "webhook-signature",
    "webhook-age",
    "webhook-bytes",
    "webhook-answer",
    "webhook-once",
    "webhook-rotation",
    "webhook-late",
  ],
  async run(bench) {
    const { orderId, events } = await tellStory(bench);
    const [placed, partial, filled] = ["order.placed", "order.partially_filled", "order.filled"].map(
      (wanted) => events.find(({ type }) => type === wanted),
    );
    const end = await tellEnd(bench);
    if (!placed || !partial || !filled || !end) return {};
    const secret = newSecret();
    const port = await freePort();
    const running = bench.start("webhook", { port, secret, until: end.orderId });
    const post = poster(bench, running, `http://127.0.0.1:${port}/hooks/trading`, secret);
    const forged = { ...filled, eventId: randomUUID() };
    const id = randomUUID();
    const seen = {
      first: await post(placed, { name: "a delivery", id }),
      again: await post(placed, { name: "the same once more", id }),
      wrong: await post(forged, { name: "one signed with another secret", secret: newSecret() }),
      old: await post(
        { ...forged, eventId: randomUUID() },
        { name: `one signed ${OLD_S} s ago`, ageS: OLD_S },
      ),
      rotated: await post(filled, { name: "one with two signatures", newSecret: newSecret() }),
      late: await post(partial, { name: "an older event of the same order" }),
      spaced: await post(end.event, { name: "one with spaces in its JSON", body: spacedText(end.event) }),
    };
    // A program that refused it gets what it waits for.
    if (!isTaken(seen.spaced)) await post(end.event, { name: "the same as it is delivered" });
    const outcome = await running.ended;
    const ids = Array.isArray(outcome.result?.events) ? outcome.result.events : [];
    const status = (outcome.result?.orders as Record<string, unknown> | undefined)?.[orderId];
    return {
      ...judgeAnswers(seen),
      "webhook-once": resultFinding(
        outcome,
        () => isTaken(seen.again) && ids.filter((each) => each === placed.eventId).length === 1,
        textOf(seen.first),
        textOf(seen.again),
      ),
      "webhook-late": resultFinding(
        outcome,
        () => status === "Filled",
        textOf(seen.rotated),
        textOf(seen.late),
      ),
    };
  },
};

function judgeAnswers(seen: Readonly<Record<string, Delivery>>): Findings {
  const { wrong, old, rotated, spaced, ...others } = seen;
  const refusal = (delivery: Delivery | undefined) =>
    finding(delivery?.status !== null && (delivery?.status ?? 0) >= 400, textOf(delivery));
  const taken = (delivery: Delivery | undefined) => finding(isTaken(delivery), textOf(delivery));
  const good = Object.values(others);
  return {
    "webhook-signature": refusal(wrong),
    "webhook-age": refusal(old),
    "webhook-bytes": taken(spaced),
    "webhook-rotation": taken(rotated),
    "webhook-answer": finding(good.every(isTaken), ...good.map(textOf)),
  };
}

const isTaken = (delivery: Delivery | undefined): boolean =>
  delivery?.status !== undefined && delivery.status !== null && delivery.status < 300;

const textOf = (delivery: Delivery | undefined): string =>
  delivery ? `${timeOf(delivery.atMs)} ${delivery.name}: ${delivery.result}` : "not delivered";

const newSecret = () => `whsec_${randomBytes(24).toString("base64")}`;

/** Returns a function that posts an event to the program, once it listens. */
function poster({ market }: Bench, running: Running, url: string, secret: string) {
  return async (event: TradingEvent, variation: Variation): Promise<Delivery> => {
    const body = variation.body ?? JSON.stringify(event);
    const headers = headersOf(body, { secret, ...variation });
    const atMs = Date.now();
    const end = (status: number | null, result: string) => ({ name: variation.name, atMs, status, result });
    return market.until("the program's receiver to listen", async () => {
      try {
        const signal = AbortSignal.timeout(ANSWER_MS_MAX);
        const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
        await response.text();
        return end(response.status, `HTTP ${response.status} after ${Date.now() - atMs} ms`);
      } catch (error) {
        const cause = causeOf(error);
        // Until the program has started, its port is closed.
        return cause.includes("ECONNREFUSED") && !running.isOver() ? null : end(null, cause);
      }
    });
  };
}

function headersOf(body: string, variation: Variation & { secret: string }) {
  const id = variation.id ?? randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000) - (variation.ageS ?? 0));
  const secrets = [variation.newSecret, variation.secret].filter((secret) => secret !== undefined);
  const signatures = secrets.map((secret) => `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`);
  return {
    "content-type": "application/json",
    "user-agent": "partner-trading-webhooks",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

const signatureOf = (secret: string, text: string): string =>
  createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(text)
    .digest("base64");

/** Returns an event as JSON with spaces, which no serializer writes again. */
const spacedText = (event: TradingEvent): string => ` ${JSON.stringify(event).replaceAll('":', '" : ')}`;

async function tellStory({ market }: Bench) {
  const after = await market.cursor();
  const { orderId } = await market.place(QUANTITY);
  // Two fills that the log writes at once would be one event.
  await market.eventsUntil(after, orderId, "order.placed");
  await market.fill(orderId, PART);
  await market.eventsUntil(after, orderId, "order.partially_filled");
  await market.fill(orderId);
  return { orderId, events: await market.eventsUntil(after, orderId, "order.filled") };
}

async function tellEnd({ market }: Bench): Promise<{ orderId: string; event: TradingEvent } | null> {
  const after = await market.cursor();
  const { orderId } = await market.place(QUANTITY);
  await market.fill(orderId);
  const event = (await market.eventsUntil(after, orderId, "order.filled")).at(-1);
  return event ? { orderId, event } : null;
}

/** Returns a port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
