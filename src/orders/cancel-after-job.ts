import { randomUUID } from "node:crypto";
import type { Hex } from "viem";
import type { Caller } from "../auth/caller.ts";
import { resolveScope } from "../chain/clients.ts";
import type { ChainConfig } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import type { Job } from "../context/jobs.ts";
import { ApiError, type ErrCode } from "../protocol/errors.ts";
import {
  type DueSwitch,
  type Firing,
  fireSwitch,
  readDueSwitches,
} from "../sending/outbox/cancel-after-store.ts";
import { refusingPolicy } from "../sending/outbox/policy.ts";
import { notifyWork } from "../sending/outbox/submit-store.ts";
import { createPreparer, type PrepareSend, refusalOf } from "../sending/send-many.ts";
import { planCancel } from "./cancel.ts";
import { findOpenOrders, type OpenOrders } from "./cancel-many.ts";

/** Switches of one run. */
const SWITCHES_MAX = 100;

/** Returns a job for each chain, so that none waits for another chain's node. */
export const switchJobs = (deps: Deps): Job[] =>
  deps.deployments.chains.map((chain) => ({
    name: `switches that cancel orders on chain ${chain.chainId}`,
    everyMs: 1_000,
    run: () => fireSwitches(deps, chain),
  }));

/**
 * Carries out the switches of a chain whose time has passed (docs/sending.md#cancel-after). What fails for now, as a node that does not
 * answer, is tried again by the next run; until then a renewal counts.
 */
export async function fireSwitches(deps: Deps, { chainId, products }: ChainConfig): Promise<void> {
  const { pool, log } = deps;
  const productTypes = products.map(({ productType }) => productType);
  for (const due of await readDueSwitches(pool, { chainId, productTypes }, SWITCHES_MAX)) {
    const { apiKey, productType } = due;
    try {
      const requested = await fire(deps, due);
      if (requested !== null)
        log.info({ apiKey, chainId, productType, requested }, "a switch cancels the orders of a key");
    } catch (err) {
      log.warn({ err, apiKey, chainId, productType }, "a switch cannot cancel the orders of a key now");
    }
  }
}

/** @returns the number of cancels asked for; null where the switch is not due any more */
async function fire(deps: Deps, due: DueSwitch): Promise<number | null> {
  const { pool } = deps;
  const { product } = resolveScope(deps, due);
  const orders = await readAll(deps, due);
  deps.crash?.("fire:before");
  const cancels = await Promise.all(await prepareAll(deps, due, orders));
  const refusals = cancels.flatMap(({ send }) => (send instanceof ApiError ? [send] : []));
  const passing = refusals.find(({ retryable }) => retryable);
  if (passing) throw passing;
  const sends = cancels.flatMap(({ orderId, send }): Firing["sends"] =>
    send instanceof ApiError ? [] : [{ requestId: randomUUID(), orderId, send }],
  );
  const cause: ErrCode | null = refusals[0]?.errCode ?? null;
  const firing = { target: product.contracts.oneClickRouter, sends, refused: refusals.length, cause };
  const requested = await fireSwitch(pool, due, firing);
  deps.crash?.("fire:after");
  const wallet = cancels.flatMap(({ send }) => (send instanceof ApiError ? [] : [send.wallet]))[0];
  if (requested && wallet) await notifyWork(pool, due.chainId, wallet);
  return requested;
}

/** Returns all open limit orders of a switch's key and its user, newest first. */
async function readAll(deps: Deps, due: DueSwitch): Promise<OpenOrders["orders"]> {
  const orders: OpenOrders["orders"] = [];
  const { userAddress } = due;
  if (!userAddress) return orders;
  for (let cursor: string | undefined, more = true; more; ) {
    const { data } = await findOpenOrders(deps, due, { userAddress }, cursor);
    orders.push(...data.orders);
    cursor = data.cursor ?? undefined;
    more = data.more;
  }
  return orders;
}

/** Returns the cancel of each order, or why it is not asked for. */
async function prepareAll(deps: Deps, due: DueSwitch, orders: OpenOrders["orders"]) {
  const { ended, policy, userAddress: user } = due;
  if (orders.length === 0 || !user) return [];
  const caller: Caller = { ...due, access: "WRITABLE" };
  const prepare = ended
    ? refuseAll(new ApiError("POLICY_REFUSED"))
    : await createPreparer(deps, caller, user).catch(refuseWith);
  return orders.map(
    async ({ orderId, order }): Promise<{ orderId: Hex; send: Awaited<ReturnType<PrepareSend>> }> => {
      const symbol = order.openOrder?.symbol ?? null;
      const subject = { keyId: due.keyId, operation: "orders/cancel", symbol, notional: null };
      const param = policy && refusingPolicy(policy, subject, 0n, deps.now());
      const send = param
        ? new ApiError("POLICY_REFUSED", { param })
        : await prepare(planCancel(deps, due, orderId, symbol));
      return { orderId, send };
    },
  );
}

const refuseAll =
  (refusal: ApiError): PrepareSend =>
  async () =>
    refusal;

const refuseWith = (error: unknown): PrepareSend => refuseAll(refusalOf(error));
