import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ProductConfig } from "../../config/deployments.ts";
import { UNAUTHORIZED } from "../../protocol/errors.ts";
import type { ProductId } from "../../protocol/shapes.ts";
import { API_PREFIX, SIGNING_HEADERS, sign, TIMESTAMP_WINDOW_MS } from "../../protocol/signing.ts";
import { type ProbeAnswer, requestOnce } from "./request.ts";

/** Longest wait for a whole answer, milliseconds. A partner who waits for longer is not served. */
export const PROBE_TIMEOUT_MS = 5_000;

/** `read`: a request that must be answered. `refusal`: one that must be refused, since it is signed wrongly. */
export const CHECKS = ["read", "refusal"] as const;
export type CheckName = (typeof CHECKS)[number];

/**
 * - `ok`: answered as it must be;
 * - `wrong`: answered with what must not be, such as data of another chain, or data for a wrong signature;
 * - `failed`: answered with a failure;
 * - `unreachable`: no whole answer in time.
 */
export const RESULTS = ["ok", "wrong", "failed", "unreachable"] as const;
export type Result = (typeof RESULTS)[number];

/** Fault of a request that must be refused. */
export const DEFECTS = ["signature", "timestamp", "nonce"] as const;
export type Defect = (typeof DEFECTS)[number];

/** Whom the prober calls, and as whom. */
export interface ProbeTarget {
  /** The public address, with its path prefix if it has one, and without a slash at its end. */
  url: string;
  apiKey: string;
  apiSecret: string;
  now: () => number;
}

export interface ProbedScope extends ProductId {
  contracts: ProductConfig["contracts"];
}

/** The result of one request. */
export interface Outcome {
  check: CheckName;
  result: Result;
  seconds: number;
  /** Number of the block that the answer names; null where it names none. */
  block: bigint | null;
  /** The server's time minus the prober's, seconds; null without an answer that names one. */
  clockOffsetSeconds: number | null;
  certificateExpiresAt: number | null;
  /** The nonce of the request. */
  nonce: string;
  /** Fields of the log for a result that is not ok. */
  why: { status?: number; errCode?: string; uuid?: string; defect?: Defect; reason?: string; err?: unknown };
}

const envelopeSchema = z.object({
  code: z.number(),
  data: z.unknown(),
  uuid: z.string(),
  t: z.number(),
  errCode: z.string().optional(),
});
type Envelope = z.output<typeof envelopeSchema>;

/** GET /config has no input, costs little, and is read at the indexed block: it needs proxy, api, database and index. */
const URI = `${API_PREFIX}/config`;
const configSchema = z.object({
  chainId: z.number(),
  productType: z.string(),
  contracts: z.record(
    z.string(),
    z.string().transform((address) => address.toLowerCase()),
  ),
});

/** Reads the configuration of a scope, as a partner would, and holds it against the deployments file. */
export async function probeRead(target: ProbeTarget, scope: ProbedScope): Promise<Outcome> {
  return probe(target, scope, { check: "read", nonce: randomUUID() }, (answer, envelope) => {
    if (answer.status !== 200) return { result: "failed" };
    const reason = faultOf(answer, envelope, scope);
    return reason === null ? { result: "ok" } : { result: "wrong", reason };
  });
}

/**
 * Sends a request that must be refused.
 * @param usedNonce a nonce that the service has accepted, for the defect `nonce`
 */
export async function probeRefusal(
  target: ProbeTarget,
  scope: ProbedScope,
  defect: Defect,
  usedNonce: string,
): Promise<Outcome> {
  const nonce = defect === "nonce" ? usedNonce : randomUUID();
  return probe(target, scope, { check: "refusal", defect, nonce }, (answer, envelope) => {
    const { status, code } = UNAUTHORIZED;
    if (answer.status === status && envelope?.code === code && envelope.data === null)
      return { result: "ok" };
    // Out of order, or limited: it let nobody in.
    if (answer.status >= 500 || answer.status === 429) return { result: "failed" };
    return { result: "wrong", reason: `a wrong ${defect} was not refused` };
  });
}

interface Asked {
  check: CheckName;
  nonce: string;
  defect?: Defect;
}
interface Judgement {
  result: Exclude<Result, "unreachable">;
  reason?: string;
}

async function probe(
  target: ProbeTarget,
  scope: ProbedScope,
  asked: Asked,
  judge: (answer: ProbeAnswer, envelope: Envelope | null) => Judgement,
): Promise<Outcome> {
  const { check, nonce, defect } = asked;
  const shown = defect ? { defect } : {};
  const headers = await signedHeaders(target, scope, asked);
  const sentAt = target.now();
  const startedAt = performance.now();
  const base = { check, nonce, block: null, clockOffsetSeconds: null, certificateExpiresAt: null };
  try {
    const answer = await requestOnce(new URL(target.url + URI), headers, PROBE_TIMEOUT_MS);
    const seconds = (performance.now() - startedAt) / 1000;
    const envelope = parseEnvelope(answer.body);
    const { result, reason } = judge(answer, envelope);
    const { errCode, uuid } = envelope ?? {};
    return {
      ...base,
      result,
      seconds,
      block: result === "ok" && check === "read" ? blockOf(answer) : null,
      clockOffsetSeconds: envelope && (envelope.t - (sentAt + target.now()) / 2) / 1000,
      certificateExpiresAt: answer.certificateExpiresAt,
      why: {
        status: answer.status,
        ...shown,
        ...(errCode ? { errCode } : {}),
        ...(uuid ? { uuid } : {}),
        ...(reason ? { reason } : {}),
      },
    };
  } catch (err) {
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...base, result: "unreachable", seconds, why: { ...shown, err } };
  }
}

async function signedHeaders(
  { apiKey, apiSecret, now }: ProbeTarget,
  { chainId, productType }: ProductId,
  { nonce, defect }: Asked,
): Promise<Record<string, string>> {
  const timestamp = String(defect === "timestamp" ? now() - 2 * TIMESTAMP_WINDOW_MS : now());
  const signature = await sign(apiSecret, { method: "GET", uri: URI, timestamp, nonce }, "");
  return {
    [SIGNING_HEADERS.apiKey]: apiKey,
    [SIGNING_HEADERS.timestamp]: timestamp,
    [SIGNING_HEADERS.nonce]: nonce,
    [SIGNING_HEADERS.chainId]: String(chainId),
    [SIGNING_HEADERS.product]: productType,
    [SIGNING_HEADERS.signature]: defect === "signature" ? withOtherDigit(signature) : signature,
  };
}

/** Changes the last hex digit. */
const withOtherDigit = (signature: string): string =>
  signature.slice(0, -1) + (signature.endsWith("0") ? "1" : "0");

function parseEnvelope(body: string): Envelope | null {
  try {
    return envelopeSchema.parse(JSON.parse(body));
  } catch {
    // A page of a proxy, or an answer that was cut.
    return null;
  }
}

function blockOf({ headers }: ProbeAnswer): bigint | null {
  const header = headers["x-indexed-block"];
  return typeof header === "string" && /^\d+$/.test(header) ? BigInt(header) : null;
}

/** Returns what is wrong with a successful answer, or null. */
function faultOf(answer: ProbeAnswer, envelope: Envelope | null, scope: ProbedScope): string | null {
  if (envelope?.code !== 200) return "the answer is no envelope of a success";
  const config = configSchema.safeParse(envelope.data);
  if (!config.success) return "the answer is no configuration";
  const { chainId, productType, contracts } = config.data;
  if (chainId !== scope.chainId || productType !== scope.productType)
    return "the configuration is of another scope";
  const other = Object.entries(scope.contracts).find(([name, address]) => contracts[name] !== address);
  if (other) return `${other[0]} is not the contract of the deployments file`;
  return blockOf(answer) === null ? "the answer names no block" : null;
}
