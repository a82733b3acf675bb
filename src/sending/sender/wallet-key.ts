import { type Hex, keccak256 } from "viem";
import type { SendRow } from "../outbox/rows.ts";
import type { Cycle } from "./context.ts";
import type { Fees } from "./fees.ts";
import type { NewAttempt } from "./sign-store.ts";
import type { Verified } from "./verify-call.ts";

/** Pause after a failure: a device that does not answer would otherwise take all the time of a wallet's cycles. */
const RETRY_MS = 1_000;

/** Fees, and the gas that a transaction may use. */
export type Terms = Fees & { gasLimit: bigint };

/** One transaction to sign: a verified call, or a transfer of nothing to the wallet itself. */
export interface Payload {
  requestId: string;
  nonce: bigint;
  call: Verified<Pick<SendRow, "to" | "data">> | "filler";
  terms: Terms;
}

type Signing = Pick<Cycle, "deps" | "wallet" | "state">;

/**
 * Signs for a wallet, and is the only place that does; outside of every database transaction. Raises "key-unavailable" where the
 * key cannot sign.
 * @returns the attempts at the first payloads, up to the one that could not be signed
 */
export async function signPayloads(
  { deps, wallet, state }: Signing,
  payloads: readonly Payload[],
): Promise<NewAttempt[]> {
  if (state.keyFailedMs !== null && deps.now() - state.keyFailedMs < RETRY_MS) return [];
  const outcomes = await Promise.allSettled(payloads.map((payload) => signPayload(wallet, payload)));
  const failed = outcomes.findIndex(({ status }) => status === "rejected");
  const failure = outcomes[failed];
  state.keyFailedMs = failure ? deps.now() : null;
  if (failure?.status === "rejected") {
    const { nodes, signer } = wallet;
    const reason = failure.reason instanceof Error ? failure.reason.message : "unknown";
    deps.alarm("key-unavailable", { chainId: nodes.chainId, wallet: signer.address, reason });
  }
  const first = failed === -1 ? outcomes : outcomes.slice(0, failed);
  return first.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}

async function signPayload(
  { nodes: { chainId }, signer }: Cycle["wallet"],
  { requestId, nonce, call, terms }: Payload,
): Promise<NewAttempt> {
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = terms;
  const { to, data } = call === "filler" ? { to: signer.address, data: "0x" as Hex } : call;
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const bytes = await signer.sign({ chainId, nonce: Number(nonce), to, data, gas: gasLimit, ...fees });
  const kind = call === "filler" ? "filler" : "call";
  return { ...fees, gasLimit, requestId, nonce, kind, bytes, hash: keccak256(bytes) };
}
