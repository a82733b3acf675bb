import { z } from "zod";
import { integer } from "../context/input/fields.ts";

/** Bounds of an overlap, seconds: app.rotate_own_secret() holds them, too. Within the shortest one a lost answer can be asked for again. */
const OVERLAP_MIN_SECONDS = 300;
const OVERLAP_MAX_SECONDS = 604_800;
const OVERLAP_DEFAULT_SECONDS = 86_400;

export const rotateShape = z.object({
  overlapSeconds: integer
    .refine(
      (value) => value >= OVERLAP_MIN_SECONDS && value <= OVERLAP_MAX_SECONDS,
      `must be from ${OVERLAP_MIN_SECONDS} to ${OVERLAP_MAX_SECONDS} seconds`,
    )
    .meta({ minimum: OVERLAP_MIN_SECONDS, maximum: OVERLAP_MAX_SECONDS, example: OVERLAP_DEFAULT_SECONDS })
    .default(OVERLAP_DEFAULT_SECONDS),
});
export type RotateInput = z.output<typeof rotateShape>;
