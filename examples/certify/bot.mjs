// A program that `partner-trading certify` accepts, with the TypeScript client: each task is what a trading program does anyway.
// Its protocol is in docs/certification.md.
import { createServer } from "node:http";
import { ApiError, isOrderEvent, PartnerTrading, verifyWebhook } from "partner-trading";

const ENDED = ["Filled", "Canceled", "Expired", "Rejected", "Failed"];
const trading = new PartnerTrading();

/** Sends an order and waits until it has ended. */
async function order({ order: fields }) {
  try {
    const sent = await trading.orders.send(fields);
    const { status, historyOrder } = await trading.orders.waitFor(sent, ENDED);
    return { status, filledQuantity: historyOrder?.filledQuantity ?? "0" };
  } catch (error) {
    if (error instanceof ApiError) return { errCode: error.errCode };
    throw error;
  }
}

/** Orders by id with their latest state, and the events that it comes from. */
function createBook() {
  const [events, states] = [new Set(), new Map()];
  return {
    take(event) {
      events.add(event.eventId);
      if (!isOrderEvent(event)) return;
      const { orderId, status } = event.data;
      // A late event reports an older state.
      if (orderId === null || event.sequence < (states.get(orderId)?.sequence ?? 0)) return;
      states.set(orderId, { status, sequence: event.sequence });
    },
    hasEnded: (orderId) => ENDED.includes(states.get(orderId)?.status),
    result: () => ({
      events: [...events],
      orders: Object.fromEntries([...states].map(([orderId, { status }]) => [orderId, status])),
    }),
  };
}

/** Keeps a book by the stream of events. */
async function follow({ after, until }) {
  const book = createBook();
  for await (const event of trading.events.stream({ after })) {
    book.take(event);
    if (book.hasEnded(until)) break;
  }
  return book.result();
}

/** Keeps a book by webhooks. */
async function webhook({ port, secret, until }) {
  const [book, received] = [createBook(), new Set()];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    let event;
    try {
      event = await verifyWebhook(secret, request.headers, Buffer.concat(chunks));
    } catch {
      return response.writeHead(400).end();
    }
    const id = request.headers["webhook-id"];
    if (!received.has(id)) book.take(event);
    received.add(id);
    response.writeHead(204).end();
    if (book.hasEnded(until)) server.close();
  });
  server.listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("close", resolve));
  return book.result();
}

/** Adds up the orders of a list. */
async function list({ query }) {
  let [count, units] = [0, 0n];
  for await (const { historyOrder } of trading.orders.list(query)) {
    count += 1;
    units += unitsOf(historyOrder?.filledQuantity ?? "0");
  }
  return { count, filledQuantity: textOf(units) };
}

/** Amounts have at most 18 decimals; a number would round them. */
function unitsOf(amount) {
  const [whole, fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(18, "0"));
}

function textOf(units) {
  const digits = String(units).padStart(19, "0");
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`;
}

/** Rotates the key's secret, and goes on with the new one. */
async function rotate({ overlapSeconds }) {
  const rotated = await rotateSurely(overlapSeconds);
  // Here a program stores the new secret.
  const { previousSecretUntil } = await new PartnerTrading({ apiSecret: rotated.apiSecret }).key.get();
  return { previousSecretUntil };
}

/** Where the answer is lost, the old secret still works, and the secret that nobody saw is replaced. */
async function rotateSurely(overlapSeconds) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await trading.key.rotate({ overlapSeconds });
    } catch (error) {
      if (error instanceof ApiError || attempt === 3) throw error;
    }
  }
}

const tasks = { order, follow, list, webhook, rotate };
const result = await tasks[process.env.CERTIFY_TASK](JSON.parse(process.env.CERTIFY_INPUT));
console.log(JSON.stringify(result));
