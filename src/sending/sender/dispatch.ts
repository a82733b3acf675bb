import { endRequest } from "../outbox/end-store.ts";
import { type RawSendRow, type SendRow, toSendRow } from "../outbox/rows.ts";
import { broadcastAll } from "./broadcast.ts";
import { lockAccepted } from "./cancellation.ts";
import { type Cycle, pause } from "./context.ts";
import { type Fees, highestFees } from "./fees.ts";
import { underLease } from "./lease.ts";
import { resimulate } from "./replay.ts";
import { signRequest } from "./sign.ts";
import type { InFlight } from "./store.ts";

/** Signed before the first of them is broadcast: small, so that the first one does not wait. */
const GROUP = 8;
/** More than an ordinary call takes: a wallet that can pay for as much takes requests, whatever else it cannot pay for. */
const SPARE_GAS = 500_000n;
const GAS_MAX = 2n ** 63n - 1n;
/** Keys whose turn is kept; one that is not kept comes first. */
const ROUND_ROBIN_MAX = 1_000;

/** Returns the wei that requests in flight cost at most. */
export function worstCaseCost(requests: readonly InFlight[]): bigint {
  return requests.reduce(
    (sum, { gasLimit, attempts }) => sum + gasLimit * highestFees(attempts).maxFeePerGas,
    0n,
  );
}

/** Returns true where so much wei is enough for an ordinary call, or for anything that waits. */
export async function canAffordNext(cycle: Cycle, wei: bigint, { maxFeePerGas }: Fees): Promise<boolean> {
  if (wei < 0n) return false;
  if (wei >= SPARE_GAS * maxFeePerGas) return true;
  return (await nextAccepted(cycle, gasFor(wei, maxFeePerGas), [])) !== null;
}

/**
 * Signs waiting requests and broadcasts them, a small group at a time. Keys take turns, and each key's requests go in the
 * order of arrival; one that costs more than the wallet has is passed over until it has more. Neither one caller's gas
 * limit nor their thousand requests may hold up the others.
 */
export async function dispatch(cycle: Cycle): Promise<void> {
  const { deps, balance } = cycle;
  for (let first = true; ; first = false) {
    const room = Math.min(GROUP, deps.config.inFlightMax - cycle.inFlight.length);
    if (room <= 0 || !(await nextAccepted(cycle, GAS_MAX, []))) return;
    const fees = await cycle.fetchFees();
    if (first) await alarmUnaffordable(cycle, fees);
    if (!(await signGroup(cycle, room, fees))) {
      const broke = cycle.inFlight.length === 0 && !(await canAffordNext(cycle, balance, fees));
      if (broke) await pause(cycle, "insufficient funds");
      return;
    }
    const fresh = cycle.inFlight.filter(({ attempts }) =>
      attempts.every(({ broadcasts }) => broadcasts === 0),
    );
    await broadcastAll(cycle, fresh);
    const unsent = cycle.inFlight.some(({ state }) => state === "signed");
    if (cycle.row.state !== "active" || unsent) return;
  }
}

/** Signs up to `room` requests. @returns true where anything was signed or ended */
async function signGroup(cycle: Cycle, room: number, fees: Fees): Promise<boolean> {
  const { balance, state } = cycle;
  let left = balance - worstCaseCost(cycle.inFlight);
  for (let count = 0; count < room; count++) {
    const request = await nextAccepted(cycle, gasFor(balance, fees.maxFeePerGas), state.roundRobin);
    if (!request) return count > 0;
    if (await failIfReverting(cycle, request)) continue;
    const cost = request.gasLimit * fees.maxFeePerGas;
    // What is in flight frees its share when it is mined.
    if (left < cost || !(await signRequest(cycle, request, fees))) return count > 0;
    left -= cost;
    const others = state.roundRobin.filter((keyId) => keyId !== request.keyId);
    state.roundRobin = [...others, request.keyId].slice(-ROUND_ROBIN_MAX);
  }
  return true;
}

/** Returns the gas that so much wei pays for. */
function gasFor(wei: bigint, maxFeePerGas: bigint): bigint {
  if (maxFeePerGas === 0n) return GAS_MAX;
  const gas = wei / maxFeePerGas;
  return gas < GAS_MAX ? gas : GAS_MAX;
}

/** Returns the oldest waiting request of the key whose turn it is, among those that take at most so much gas. */
async function nextAccepted(
  { deps, wallet }: Cycle,
  gasAtMost: bigint,
  roundRobin: readonly string[],
): Promise<SendRow | null> {
  const { rows } = await deps.pool.query<RawSendRow>(NEXT, [
    wallet.nodes.chainId,
    wallet.signer.address,
    gasAtMost.toString(),
    roundRobin,
  ]);
  return rows[0] ? toSendRow(rows[0]) : null;
}

// From key to key in the index, so that one key's thousands are not read to find another's one.
const NEXT = `
  WITH RECURSIVE waiting AS (
    (SELECT key_id FROM app.send_request WHERE chain_id = $1 AND wallet = $2 AND state = 'accepted'
     ORDER BY key_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.key_id FROM app.send_request r
            WHERE r.chain_id = $1 AND r.wallet = $2 AND r.state = 'accepted' AND r.key_id > w.key_id
            ORDER BY r.key_id LIMIT 1)
    FROM waiting w WHERE w.key_id IS NOT NULL
  )
  SELECT oldest.* FROM waiting w CROSS JOIN LATERAL (
    SELECT * FROM app.send_request r
    WHERE r.chain_id = $1 AND r.wallet = $2 AND r.state = 'accepted' AND r.key_id = w.key_id AND r.gas_limit <= $3
    ORDER BY r.sequence LIMIT 1
  ) oldest
  ORDER BY array_position($4::uuid[], oldest.key_id) NULLS FIRST, oldest.sequence LIMIT 1`;

/** Raises the alarm where something waits for funds that the wallet does not have. */
async function alarmUnaffordable({ deps, wallet, balance }: Cycle, { maxFeePerGas }: Fees): Promise<void> {
  const { rows } = await deps.pool.query<{ request_id: string; gas_limit: string }>(
    `SELECT request_id, gas_limit FROM app.send_request
     WHERE chain_id = $1 AND wallet = $2 AND state = 'accepted' AND gas_limit > $3 ORDER BY sequence LIMIT 1`,
    [wallet.nodes.chainId, wallet.signer.address, gasFor(balance, maxFeePerGas).toString()],
  );
  if (!rows[0]) return;
  deps.alarm("unaffordable", {
    chainId: wallet.nodes.chainId,
    wallet: wallet.signer.address,
    requestId: rows[0].request_id,
    costWei: (BigInt(rows[0].gas_limit) * maxFeePerGas).toString(),
    balanceWei: balance.toString(),
  });
}

/**
 * Simulates a request that waited long again, and fails it where it cannot succeed any more: it costs no gas then. Leaves a
 * disable alone: the delegation it ends may not be mined yet, and then its simulation finds nothing to end.
 * @returns true where the request is failed
 */
async function failIfReverting({ deps, wallet, node }: Cycle, request: SendRow): Promise<boolean> {
  if (request.operation === "1ct/disable") return false;
  if (deps.now() - request.acceptedAtMs < deps.config.resimulateAfterMs) return false;
  const why = await resimulate(node, request);
  if (!why) return false;
  return underLease(deps.pool, wallet, async (tx) => {
    if (await lockAccepted(tx, request.requestId)) {
      await endRequest(tx, request.requestId, {
        state: "failed",
        ...why,
        reason: "reverts before it was signed",
      });
    }
    return true;
  });
}
