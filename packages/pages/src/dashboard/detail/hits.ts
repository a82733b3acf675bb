import { hrefOf } from "../frame/route.ts";
import type { HitFragment } from "../service/documents.ts";

/** Returns the href of a hit; undefined for an HTTP request, whose writes follow it in the list. */
export function hrefOfHit({
  kind,
  id,
  chainId,
}: Pick<HitFragment, "kind" | "id" | "chainId">): string | undefined {
  if (kind === "request") return undefined;
  if (kind === "key" || kind === "user" || kind === "send") return hrefOf([kind, id]);
  return hrefOf([kind, id], { chainId });
}

/** Returns the href of a search's only hit; undefined where there is none, or a choice. */
export function onlyView(hits: readonly HitFragment[]): string | undefined {
  const views = new Set(hits.flatMap((hit) => hrefOfHit(hit) ?? []));
  return views.size === 1 ? [...views][0] : undefined;
}
