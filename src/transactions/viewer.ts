import type { Caller } from "../auth/caller.ts";

/** Whose orders and operations an answer may show, in one scope. A Caller is a Viewer. */
export interface Viewer {
  chainId: number;
  productType: string;
  /** Null: a dashboard, which sees what any key of the scope owns. */
  keyId: string | null;
}

/** The viewer behind a request: the API key that signed it, or a dashboard. */
export function viewerOf(context: {
  caller: Caller | null;
  scope: { chainId: number; productType: string };
}): Viewer {
  return context.caller ?? { ...context.scope, keyId: null };
}
