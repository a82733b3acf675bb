// A program for `partner-trading certify` without a client: it keeps every rule, save those in BREAKS, which it breaks as programs do.
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

const { env } = process;
const broken = new Set((env.BREAKS ?? "").split(","));
const breaks = (rule) => broken.has(rule);

const ENDED = ["Filled", "Canceled", "Expired", "Rejected", "Failed"];
const TRIES = 4;
const SILENCE_MS = 30_000;
const FIRST_NONCE = randomUUID();
let secret = env.PARTNER_TRADING_API_SECRET;

function headersOf(method, uri, body) {
  const timestamp = String(Date.now() - (breaks("timestamp") ? 50_000 : 0));
  const nonce = breaks("nonce") ? FIRST_NONCE : randomUUID();
  const payload = [method, uri, timestamp, nonce, breaks("signed") ? `${body} ` : body].join("\n");
  return {
    "x-api-key": env.PARTNER_TRADING_API_KEY,
    "x-api-ts": timestamp,
    "x-api-nonce": nonce,
    "x-api-chain-id": env.PARTNER_TRADING_CHAIN_ID,
    "x-api-p": env.PARTNER_TRADING_PRODUCT,
    "x-api-sign": createHmac("sha256", secret).update(payload).digest("hex"),
  };
}

function open(method, path, { body = "", headers = {}, signal } = {}) {
  const uri = `/api/v1${path}`;
  return fetch(env.PARTNER_TRADING_BASE_URL + uri, {
    method,
    headers: { ...headersOf(method, uri, body), ...headers },
    signal,
    ...(body && { body }),
  });
}

class Refusal extends Error {
  constructor(envelope) {
    super(`${envelope.errCode}: ${envelope.errMsg}`);
    this.envelope = envelope;
  }
}

/** Calls until there is an answer that another try would not change. */
async function call(method, path, { body = "", key, lossy } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const headers = key ? { "idempotency-key": breaks("idempotency-key") ? randomUUID() : key } : {};
    const answer = await tryOnce(method, path, breaks("one-order") ? { body } : { body, headers });
    if (answer.data !== undefined) return answer.data;
    const pauseMs = pauseAfter(answer, attempt, lossy);
    if (pauseMs === null) throw answer.error ?? new Refusal(answer.envelope);
    await delay(pauseMs);
  }
}

async function tryOnce(method, path, parts) {
  try {
    const response = await open(method, path, parts);
    const text = await response.text();
    const retryAfter = Number(response.headers.get("retry-after") ?? 0);
    if (!text.startsWith("{")) return { status: response.status, retryAfter, envelope: { retryable: true } };
    const envelope = JSON.parse(text);
    if (breaks("unknown-field") && "certifyUnknown" in envelope) throw new Refusal({ errCode: "strict" });
    if (envelope.code === 200) return { data: envelope.data };
    return { status: response.status, retryAfter, envelope };
  } catch (error) {
    if (error instanceof Refusal) return { envelope: { retryable: false, ...error.envelope } };
    return { error };
  }
}

/** Returns milliseconds; null where there is no other try. */
function pauseAfter({ status, envelope, retryAfter, error }, attempt, lossy) {
  if (attempt === TRIES) return null;
  if (error) return breaks(lossy) ? null : 200 * attempt;
  if (breaks("unknown-errcode") && envelope.errCode === "CERTIFY_UNKNOWN") return null;
  if (!envelope.retryable) return breaks("refusal-final") ? 1 : null;
  if (status === 429) return breaks("retry-after") ? 1 : retryAfter * 1000;
  return breaks("backoff") ? 1 : 200 * attempt;
}

async function order({ order: fields }) {
  if (breaks("secret-private")) process.stderr.write(`signing with ${secret}\n`);
  const given = breaks("string-amounts") ? { ...fields, quantity: Number(fields.quantity) } : fields;
  let sent;
  try {
    sent = await call("POST", "/orders/send", {
      body: JSON.stringify(given),
      key: randomUUID(),
      lossy: "lost-answer",
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { errCode: breaks("refusal-reported") ? "FAILED" : error.envelope.errCode };
  }
  for (;;) {
    const { mapping } = await call("GET", `/sends/${sent.requestId}`, { lossy: "read-repeated" });
    const found = mapping?.orderId && (await call("GET", `/orders/${mapping.orderId}`));
    if (found && isOver(found)) return resultOf(found);
    await delay(100);
  }
}

function isOver({ status, onChainStatus }) {
  if (breaks("open-not-ended") && status === "Partial filled") return true;
  if (breaks("late-fill") && onChainStatus === "canceling") return true;
  return ENDED.includes(status);
}

function resultOf({ status, historyOrder, onChainStatus }) {
  const quantity = historyOrder?.filledQuantity ?? "0";
  const filledQuantity = breaks("exact-amounts") ? String(Number(quantity)) : quantity;
  if (breaks("late-fill") && onChainStatus === "canceling") return { status: "Canceled", filledQuantity };
  return { status: breaks("ended-state") ? "Filled" : status, filledQuantity };
}

function createBook() {
  const [events, states] = [[], new Map()];
  return {
    take(event) {
      if (!events.includes(event.eventId) || breaks("events-once") || breaks("webhook-once"))
        events.push(event.eventId);
      if (!event.type.startsWith("order.")) {
        if (breaks("unknown-event") && event.type === "certify.unknown") throw new Error(event.type);
        return;
      }
      const { orderId, status } = event.data;
      const known = states.get(orderId);
      if (event.sequence < known?.sequence && !breaks("webhook-late")) return;
      if (breaks("reorg") && ENDED.includes(known?.status)) return;
      states.set(orderId, { status, sequence: event.sequence });
    },
    hasEnded: (orderId) => ENDED.includes(states.get(orderId)?.status),
    result: () => ({
      events,
      orders: Object.fromEntries([...states].map(([orderId, { status }]) => [orderId, status])),
    }),
  };
}

async function follow({ after, until }) {
  const book = createBook();
  let cursor = after;
  while (!book.hasEnded(until)) {
    try {
      for await (const { id, event } of connection(breaks("resume") ? after : cursor)) {
        if (event && !(breaks("all-events") && event.type === "order.partially_filled")) book.take(event);
        cursor = id ?? cursor;
        if (book.hasEnded(until)) break;
      }
    } catch (error) {
      if (error.message === "certify.unknown") throw error;
    }
    await delay(50);
  }
  return book.result();
}

/** Yields the frames of one connection that have an id. */
async function* connection(after) {
  const silent = new AbortController();
  let timer;
  const extend = () => {
    clearTimeout(timer);
    if (!breaks("silence")) timer = setTimeout(() => silent.abort(), SILENCE_MS);
  };
  extend();
  try {
    const response = await open("GET", `/events/stream?after=${after}`, { signal: silent.signal });
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      extend();
      const frames = (rest + chunk).split("\n\n");
      rest = frames.pop();
      for (const frame of frames) {
        const fields = Object.fromEntries(
          frame
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        );
        const isEvent = fields.event && fields.event !== "heartbeat" && fields.event !== "closing";
        yield { id: fields.id, event: isEvent ? JSON.parse(fields.data) : null };
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

async function list({ query }) {
  let [count, units, cursor] = [0, 0n, null];
  for (let page = 1; ; page += 1) {
    const where = breaks("all-pages") ? { page } : cursor === null ? {} : { cursor };
    const search = new URLSearchParams({ ...query, ...where });
    search.sort();
    const { rows, nextCursor } = await call("GET", `/orders?${search}`);
    for (const { historyOrder } of rows) {
      count += 1;
      const [whole, fraction = ""] = historyOrder.filledQuantity.split(".");
      units += BigInt(whole + fraction.padEnd(18, "0"));
    }
    cursor = nextCursor;
    if (breaks("all-pages") ? rows.length < query.limit : cursor === null) break;
  }
  const digits = String(units).padStart(19, "0");
  return { count, filledQuantity: `${digits.slice(0, -18)}.${digits.slice(-18)}` };
}

async function webhook({ port, secret: webhookSecret, until }) {
  const [book, received] = [createBook(), new Set()];
  const key = Buffer.from(webhookSecret.slice("whsec_".length), "base64");
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const status = statusOf(request.headers, text, key);
    if (status === 204 && !isReceived(received, request.headers["webhook-id"])) book.take(JSON.parse(text));
    response.writeHead(breaks("webhook-answer") ? 500 : status).end();
    if (book.hasEnded(until)) server.close(() => undefined);
    if (book.hasEnded(until)) server.closeIdleConnections();
  });
  server.listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("close", resolve));
  return book.result();
}

function isReceived(received, id) {
  if (received.has(id)) return !breaks("webhook-once");
  received.add(id);
  return false;
}

function statusOf(headers, text, key) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300 && !breaks("webhook-age")) return 400;
  const body = breaks("webhook-bytes") ? JSON.stringify(JSON.parse(text)) : text;
  const right = Buffer.from(createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64"));
  const offered = breaks("webhook-rotation") ? [signatures.split(" ")[0]] : signatures.split(" ");
  const fits = offered
    .map((each) => Buffer.from(each.slice(3)))
    .some((each) => each.length === right.length && timingSafeEqual(each, right));
  return fits || breaks("webhook-signature") ? 204 : 400;
}

async function rotate(input) {
  const rotated = await call("POST", "/key/rotate", {
    body: JSON.stringify(input),
    lossy: "rotation-repeated",
  });
  if (!breaks("rotation-used")) secret = rotated.apiSecret;
  const { previousSecretUntil } = await call("GET", "/key");
  return { previousSecretUntil };
}

const tasks = { order, follow, list, webhook, rotate };
const result = await tasks[env.CERTIFY_TASK](JSON.parse(env.CERTIFY_INPUT));
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
