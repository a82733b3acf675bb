import type { Logger } from "pino";
import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../deps.ts";

/** What a resolver knows of the request it works for; the same over REST and over /graphql. */
export interface RequestContext {
  deps: Deps;
  /** The API key that signed the request; null for a dashboard, whose lists then cover all keys of the scope. */
  caller: Caller | null;
  scope: { chainId: number; productType: string };
  /** The response's uuid, on every log line of this request. */
  uuid: string;
  log: Logger;
  /** The lowest block that this answer's data was read at; sent as X-Indexed-Block. */
  indexedBlock: bigint | null;
}
