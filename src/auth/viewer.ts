import { ApiError } from "../protocol/errors.ts";
import type { Caller } from "./caller.ts";

/** Limits an answer to the orders and operations of one key, in one scope. A Caller is a Viewer. */
export interface Viewer {
  chainId: number;
  productType: string;
  /** Null: a dashboard, which sees what any key of the scope owns. */
  keyId: string | null;
}

interface Requester {
  caller: Caller | null;
  scope: { chainId: number; productType: string };
}

/** Returns the viewer behind a request: the API key that signed it, or a dashboard. */
export function viewerOf({ caller, scope }: Requester): Viewer {
  return caller ?? { ...scope, keyId: null };
}

/** Returns the API key behind a request that writes, with the uuid that is kept with what it writes. @throws as requireCaller */
export function requireWriter(requester: Requester & { uuid: string }): Caller {
  return { ...requireCaller(requester), envelopeUuid: requester.uuid };
}

/**
 * Returns the API key behind a request that acts, or reads its own data.
 * @throws ApiError ROUTE_NOT_FOUND for a dashboard
 */
export function requireCaller({ caller }: Requester): Caller {
  if (!caller) throw new ApiError("ROUTE_NOT_FOUND");
  return caller;
}
