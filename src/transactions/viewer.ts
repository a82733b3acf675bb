import type { Caller } from "../auth/caller.ts";

/** Whose orders and operations an answer may show, in one scope. A Caller is a Viewer. */
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

/** The viewer behind a request: the API key that signed it, or a dashboard. */
export function viewerOf({ caller, scope }: Requester): Viewer {
  return caller ?? { ...scope, keyId: null };
}

/** The API key behind a request that acts. @throws Error where a dashboard got this far: it is let to queries only */
export function callerOf({ caller }: Requester): Caller {
  if (!caller) throw new Error("a dashboard cannot act for an API key");
  return caller;
}
