import { setTimeout as delay } from "node:timers/promises";
import { HOLD_SECONDS } from "../../../../../src/events/status-store.ts";
import type { ReportedStatus } from "../../operator.ts";
import { ControlError } from "../context.ts";
import { takeAction } from "../corporate-action.ts";
import { buyStock } from "./orders.ts";
import { type Cause, having, type Scene, walletOf } from "./scene.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Timeout: longer than the minute after which a worker reads expiring keys again. */
const EXPIRING_MS = 90_000;
const POLL_MS = 500;
/** Dividend of a cent, in millionths. */
const CASH = 10_000n;
/** Number of days within which a key's end is reported. */
const REPORTED_DAYS = 14;
const QUIET_MS = HOUR_MS;
/** Longer than the worker takes to observe a state once more, seconds. */
const OBSERVED_S = 60;
/** An answer that takes longer is lost to most clients, seconds. */
const HOLD_SECONDS_MAX = 240;

/** Pays a dividend of a cent on the stock that is listed last. */
async function actionApplied({ context, desk, seen }: Scene) {
  const symbol = desk.deployment.stockTokens.at(-1)?.stockSymbol ?? "";
  await takeAction(context, { symbol, type: "dividend", cash: CASH });
  return seen(having("symbol", symbol));
}

/** Has the user buy the stock that is listed last, and pays a dividend of a cent on it. */
async function distributionApplied(scene: Scene) {
  const { address } = walletOf(scene);
  const symbol = await buyStock(scene);
  await takeAction(scene.context, { symbol, type: "dividend", cash: CASH });
  return scene.seen(having("userAddress", address));
}

/** Moves the key's end near, and back once that was reported. */
async function keyExpiring({ context: { operator }, key: { apiKey, expiresAt }, seen }: Scene) {
  const end = new Date(Date.now() + (REPORTED_DAYS - 1) * DAY_MS);
  await operator.setKeyEnd(apiKey, end);
  try {
    return await seen(having("expiresAt", Math.floor(end.getTime() / 1000)), { waitMs: EXPIRING_MS });
  } finally {
    await operator.setKeyEnd(apiKey, expiresAt);
  }
}

/** Announces maintenance of an hour that begins in one. @returns its id */
function announce({ context: { operator }, key: { chainId } }: Scene): Promise<string> {
  const startsAt = new Date(Date.now() + HOUR_MS);
  const endsAt = new Date(startsAt.getTime() + HOUR_MS);
  return operator.announce({ chainId, startsAt, endsAt, text: "Triggered in the sandbox" });
}

async function maintenanceAnnounced(scene: Scene) {
  return scene.seen(having("noticeId", await announce(scene)));
}

async function maintenanceCanceled(scene: Scene) {
  const noticeId = await announce(scene);
  await scene.context.operator.cancelNotice(noticeId);
  return scene.seen(having("noticeId", noticeId));
}

/** Stops the market data until that is reported; where its outage is what was reported last, waits until its end is. */
async function statusChanged(scene: Scene) {
  const { context, seen } = scene;
  const reported = await reportedStatus(scene);
  const holdSeconds = holdOf(reported);
  if (holdSeconds > HOLD_SECONDS_MAX)
    throw new ControlError(
      409,
      `after the changes of the last hour, another must last ${holdSeconds} s: try again later`,
    );
  const outageSeconds = reported.marketDataHealth === "unavailable" ? 0 : holdSeconds + OBSERVED_S;
  context.outages.start("market-data", outageSeconds);
  try {
    const isAsBefore = having("marketDataHealth", reported.marketDataHealth);
    return await seen((event) => !isAsBefore(event), { waitMs: (holdSeconds + OBSERVED_S) * 1000 });
  } finally {
    context.outages.start("market-data", 0);
  }
}

async function reportedStatus({ context, key }: Scene): Promise<ReportedStatus> {
  for (const endMs = Date.now() + OBSERVED_S * 1000; Date.now() < endMs; await delay(POLL_MS)) {
    const reported = await context.operator.readStatus(key.chainId, key.productType);
    if (reported) return reported;
  }
  throw new ControlError(409, "the worker has not observed the state of the service yet");
}

/** Returns how long another state must last to be an event, seconds. */
function holdOf({ reportedAt, holdSeconds }: ReportedStatus): number {
  const isQuiet = reportedAt === null || Date.now() - reportedAt.getTime() > QUIET_MS;
  return isQuiet ? HOLD_SECONDS : holdSeconds;
}

export const serviceCauses = {
  "corporate_action.applied": actionApplied,
  "distribution.applied": distributionApplied,
  "key.expiring": keyExpiring,
  "maintenance.announced": maintenanceAnnounced,
  "maintenance.canceled": maintenanceCanceled,
  "status.changed": statusChanged,
} satisfies Record<string, Cause>;
