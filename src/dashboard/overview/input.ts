import { z } from "zod";
import type { Deps } from "../../context/deps.ts";
import { type Args, address, parseInput, text } from "../../context/input/fields.ts";
import { chainId } from "../input.ts";
import { type Span, spanFields, spanOf } from "./span.ts";

type Clock = Pick<Deps, "now">;

const scopeShape = z.object({ ...spanFields, chainId: chainId.optional(), productType: text.optional() });
const chainShape = z.object({ ...spanFields, chainId });
const queueShape = z.object({ ...spanFields, chainId, wallet: address.optional() });

const withSpan = <T extends { from?: number | undefined; to?: number | undefined }>(
  { now }: Clock,
  { from, to, ...rest }: T,
): { span: Span; asked: Omit<T, "from" | "to"> } => ({ span: spanOf({ from, to }, now()), asked: rest });

/** @throws ApiError VALIDATION_FAILED, as all of these */
export const parseScopedSpan = (clock: Clock, args: Args) => withSpan(clock, parseInput(scopeShape, args));
export const parseChainSpan = (clock: Clock, args: Args) => withSpan(clock, parseInput(chainShape, args));
export const parseQueueSpan = (clock: Clock, args: Args) => withSpan(clock, parseInput(queueShape, args));
