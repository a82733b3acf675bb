import { ERROR_CATALOGUE, type ErrCode } from "../../../src/protocol/errors.ts";
import { PartnerTrading } from "../src/index.ts";
import type { ClientOptions } from "../src/options.ts";

export const API_SECRET = "sk_test_5f1d9c0b7e2a4c6d8e0f1a2b3c4d5e6f";
export const UUID = "6f1c0d6e-2b8e-4f0a-8f57-2f2a4d5b9c11";

/** A request as the client sent it. */
export interface Sent {
  method: string;
  url: URL;
  headers: Headers;
  body: string;
  signal: AbortSignal | null;
  redirect: string | undefined;
}

/** Never comes: `fetch` ends with its signal. */
export const HANGS = "hangs";

type Reply = Response | Error | typeof HANGS | ((sent: Sent) => Response | Promise<Response>);

/** Returns a client whose `fetch` gives these replies in turn, the last one repeatedly, with the requests it got. */
export function startFakeService(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const request = {
      method: init.method ?? "",
      url,
      headers: new Headers(init.headers),
      body: String(init.body ?? ""),
      signal: init.signal ?? null,
      redirect: init.redirect,
    };
    const reply = replies[Math.min(sent.length, replies.length - 1)];
    sent.push(request);
    init.signal?.throwIfAborted();
    if (reply === HANGS) return untilAborted(init.signal);
    if (reply === undefined) throw new Error("no reply");
    if (reply instanceof Error) throw reply;
    return reply instanceof Response ? reply.clone() : reply(request);
  };
  const trading = new PartnerTrading({
    baseUrl: "https://api.example.com",
    apiKey: "pk_test_1",
    apiSecret: API_SECRET,
    chainId: 31337,
    productType: "Sandbox",
    fetch,
    ...options,
  });
  return { trading, sent };
}

const untilAborted = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

/** Returns a success with this data. */
export const success = (data: unknown, headers: Record<string, string> = {}) =>
  Response.json({ code: 200, errMsg: "", data, uuid: UUID, t: Date.now() }, { headers });

/** Returns a failure of the catalogue. */
export function failure(
  errCode: ErrCode,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  const { code, status, retryable, message } = ERROR_CATALOGUE[errCode];
  const envelope = { code, errMsg: message, data: null, uuid: UUID, t: Date.now() };
  return Response.json({ ...envelope, errCode, param: null, retryable, ...more }, { status, headers });
}

/** Returns the service's answer to a failed authentication. */
export const unauthorized = (t = Date.now(), headers: Record<string, string> = {}) =>
  Response.json({ code: 401, errMsg: "Unauthorized", data: null, uuid: UUID, t }, { status: 400, headers });

/** Returns the error of `fetch` where nothing answers. */
export const unreachable = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
