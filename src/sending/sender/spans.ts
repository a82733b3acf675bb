import { startSpan } from "../../telemetry/tracing.ts";
import type { SendRow } from "../outbox/rows.ts";
import type { Receipt } from "./receipt-decision.ts";
import type { InFlight } from "./store.ts";

// Spans of a request to send, in the trace of the HTTP request that accepted it.

/** Returns the attributes of a worker's step. Hashes are public; users, wallets and call data are left out. */
export const spanOf = ({ traceparent, requestId, chainId, operation }: SendRow) => ({
  traceparent,
  attributes: { request_id: requestId, chain_id: chainId, operation },
});

/** Records the time from the first broadcast until the receipt was stored. */
export function recordMined(request: InFlight, receipt: Receipt, nowMs: number): void {
  const broadcastMs = request.attempts.flatMap(({ firstBroadcastMs }) => firstBroadcastMs ?? []);
  record("confirm", request, Math.min(nowMs, ...broadcastMs), {
    tx_hash: receipt.hash,
    block_number: Number(receipt.blockNumber),
    success: receipt.success,
  });
}

/** Records that a request is final. */
export function recordFinal(request: InFlight, nowMs: number): void {
  record("final", request, nowMs, { success: request.minedSuccess ?? false });
}

function record(
  name: string,
  request: InFlight,
  startMs: number,
  attributes: Record<string, string | number | boolean>,
): void {
  if (request.traceparent === null) return;
  const own = spanOf(request).attributes;
  startSpan(name, {
    parent: request.traceparent,
    startMs,
    attributes: { ...own, ...attributes },
  })?.end();
}
