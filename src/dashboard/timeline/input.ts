import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { type Args, hash, oneOf, parseInput } from "../../context/input/fields.ts";
import { chainId, chainsOf, uuid } from "../input.ts";
import { TIMELINE_KINDS, type TimelineKind } from "../words.ts";

/** Object that a timeline is asked of. */
export type Asked =
  | { kind: Exclude<TimelineKind, "send">; id: Hex; chainIds: readonly number[] }
  | { kind: "send"; id: string; chainIds: readonly number[] };

const common = { chainId: chainId.optional() };
const kindShape = z.object({ kind: oneOf(TIMELINE_KINDS) });
const hashShape = z.object({ id: hash, ...common });
const uuidShape = z.object({ id: uuid, ...common });

/** @throws ApiError VALIDATION_FAILED */
export function parseTimeline(deps: Deps, args: Args): Asked {
  const { kind } = parseInput(kindShape, args);
  if (kind === "send") {
    const { id, ...scope } = parseInput(uuidShape, args);
    return { kind, id, chainIds: chainsOf(deps, scope) };
  }
  const { id, ...scope } = parseInput(hashShape, args);
  return { kind, id, chainIds: chainsOf(deps, scope) };
}
