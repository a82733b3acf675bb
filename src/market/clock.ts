import type { Deps } from "../context/deps.ts";
import { nextRegularHours } from "../market-data/calendar.ts";

/** GET /clock: the session of the market now, and the next regular hours. @throws ApiError MARKET_DATA_UNAVAILABLE */
export async function getClock({ marketData, now }: Deps) {
  const timestamp = Math.floor(now() / 1000);
  const session = await marketData.session();
  return { timestamp, isOpen: session === "regular", session, ...nextRegularHours(timestamp) };
}
