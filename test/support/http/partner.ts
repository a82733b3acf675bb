import { createHmac, randomUUID } from "node:crypto";
import { z } from "zod";
import { beginCall } from "../assert/history/record.ts";
import { canary } from "../assert/logs.ts";
import { NotYetError } from "../assert/until.ts";
import { checkAgainstDocument, type Seen } from "./openapi.ts";

/**
 * A partner's program: signs by docs/api.md#authentication, with code of its own, over plain HTTP. It shares no
 * code with the server, so a mistake in the server's signing cannot hide here. Whatever it is answered is held against
 * the OpenAPI document.
 */
export interface PartnerKey {
  apiKey: string;
  apiSecret: string;
  chainId: number;
  productType: string;
}

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: {
    code: number;
    errMsg: string;
    data: T;
    uuid: string;
    t: number;
    errCode?: string;
    param?: string | null;
    retryable?: boolean;
    revert?: string;
  };
}

/** Defects of a request that the server should refuse. Omitted parts are correct. */
export interface Bend {
  /** Milliseconds added to the timestamp. */
  skewMs?: number;
  nonce?: string;
  secret?: string;
  /** Signs this instead of the right payload. */
  payload?: (parts: { method: string; uri: string; ts: string; nonce: string; body: string }) => string;
  /** Sends this body, while the given one is signed. */
  sentBody?: string;
  /** Sends the path with this query exactly as written; what is signed does not change. */
  sentQuery?: string;
  /** Added to the headers, or, with undefined, taken out of them. */
  headers?: Record<string, string | undefined>;
  /** Ends the call before it is answered. */
  signal?: AbortSignal;
}

const envelope = z.looseObject({
  code: z.number(),
  errMsg: z.string(),
  data: z.unknown(),
  errCode: z.string().optional(),
  uuid: z.uuid(),
  t: z.number(),
});

/** Stands for the envelope of an answer without a body. */
async function emptyAnswer(response: Response): Promise<z.output<typeof envelope>> {
  const text = await response.text();
  if (text !== "") throw new Error(`a 304 with a body: ${text}`);
  return { code: 200, errMsg: "", data: null, uuid: response.headers.get("x-request-id") ?? "", t: 0 };
}

/** Stands for the envelope of a stream, which is left once it has begun. */
async function streamAnswer(response: Response): Promise<z.output<typeof envelope>> {
  await response.body?.cancel();
  return { code: 200, errMsg: "", data: {}, uuid: response.headers.get("x-request-id") ?? "", t: 0 };
}

async function fetchAnswer(url: string, init: RequestInit) {
  const response = await fetch(url, init);
  if (response.headers.get("content-type")?.startsWith("text/event-stream"))
    return { response, parsed: await streamAnswer(response) };
  if (response.status === 304) return { response, parsed: await emptyAnswer(response) };
  return { response, parsed: envelope.parse(await response.json()) };
}

export interface PartnerOptions {
  /** Off where a version before may answer: it lacks what was added to the document since. */
  checksDocument?: boolean;
}

export function createPartner(
  baseUrl: string,
  key: PartnerKey,
  { checksDocument = true }: PartnerOptions = {},
) {
  async function call<T>(
    method: "GET" | "POST" | "DELETE",
    path: string,
    options: { query?: Record<string, string | number>; body?: unknown; bend?: Bend } = {},
  ): Promise<Answer<T>> {
    const bend = options.bend ?? {};
    const query = Object.entries(options.query ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join("&");
    const uri = `/api/v1${path}${query ? `?${query}` : ""}`;
    const body = options.body === undefined ? "" : JSON.stringify(options.body);
    const ts = String(Date.now() + (bend.skewMs ?? 0));
    const nonce = bend.nonce ?? randomUUID();
    const parts = { method, uri, ts, nonce, body };
    const payload = bend.payload ? bend.payload(parts) : [method, uri, ts, nonce, body].join("\n");
    const signature = createHmac("sha256", bend.secret ?? key.apiSecret)
      .update(payload, "utf8")
      .digest("hex");
    const headers = new Headers({
      "x-api-key": key.apiKey,
      "x-api-ts": ts,
      "x-api-nonce": nonce,
      "x-api-chain-id": String(key.chainId),
      "x-api-p": key.productType,
      "x-api-sign": canary("request signature", signature),
      ...(body ? { "content-type": "application/json" } : {}),
    });
    for (const [name, value] of Object.entries(bend.headers ?? {})) {
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    }
    const sentUri = bend.sentQuery === undefined ? uri : `/api/v1${path}?${bend.sentQuery}`;
    const sentBody = bend.sentBody ?? body;
    const end = beginCall({
      apiKey: key.apiKey,
      nonce,
      method,
      path,
      body: options.body ?? null,
      idempotencyKey: headers.get("idempotency-key"),
    });
    const { response, parsed } = await fetchAnswer(`${baseUrl}${sentUri}`, {
      method,
      headers,
      ...(sentBody ? { body: sentBody } : {}),
      ...(bend.signal ? { signal: bend.signal } : {}),
    }).catch((error: unknown) => {
      end(null);
      throw error;
    });
    const { code, errCode = null, data } = parsed;
    end({ status: response.status, code, errCode, data });
    const seen: Seen = {
      method,
      uri: sentUri,
      status: response.status,
      headers: response.headers,
      body: parsed,
      ...(bend.sentBody === undefined ? { sent: options.body } : {}),
    };
    if (checksDocument) checkAgainstDocument(seen);
    return { status: response.status, headers: response.headers, body: parsed as Answer<T>["body"] };
  }

  return {
    key,
    get: <T>(path: string, query?: Record<string, string | number>, bend?: Bend) =>
      call<T>("GET", path, { ...(query ? { query } : {}), ...(bend ? { bend } : {}) }),
    post: <T>(path: string, body?: unknown, bend?: Bend) =>
      call<T>("POST", path, { body, ...(bend ? { bend } : {}) }),
    delete: <T>(path: string, bend?: Bend) => call<T>("DELETE", path, bend ? { bend } : {}),

    /**
     * Returns the data of a call that must succeed.
     * @throws NotYetError where the answer says that the same call may succeed later; Error for any other refusal, and
     * for INTERNAL, which must not be waited out. Both show the whole answer.
     */
    async must<T>(answer: Promise<Answer<T>>): Promise<T> {
      const { status, body } = await answer;
      if (status !== 200 || body.code !== 200) {
        const message = `expected code 200, got HTTP ${status}: ${JSON.stringify(body)}`;
        throw body.retryable && body.errCode !== "INTERNAL" ? new NotYetError(message) : new Error(message);
      }
      return body.data;
    },
  };
}

export type Partner = ReturnType<typeof createPartner>;
