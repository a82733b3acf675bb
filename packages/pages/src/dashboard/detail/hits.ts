import { hrefOf } from "../frame/route.ts";
import type { HitFragment } from "../service/documents.ts";

/** Returns the href of a hit. An event is shown in its list, a token by its orders. */
export function hrefOfHit({ kind, id, chainId }: Pick<HitFragment, "kind" | "id" | "chainId">): string {
  if (kind === "event") return hrefOf(["events"], { eventId: id });
  if (kind === "token") return hrefOf(["orders"], { symbol: id, chainId });
  return hrefOf([kind, id], WITH_CHAIN.has(kind) ? { chainId } : {});
}

/** Kinds whose ids are of a chain. */
const WITH_CHAIN: ReadonlySet<string> = new Set(["order", "operation", "transaction", "wallet"]);

/** Returns the href of a search's only hit; undefined where there is none, or a choice. */
export function onlyView(hits: readonly HitFragment[]): string | undefined {
  const views = new Set(hits.map(hrefOfHit));
  return views.size === 1 ? [...views][0] : undefined;
}
