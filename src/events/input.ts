import { z } from "zod";
import { integer, refuse, text } from "../input/fields.ts";
import { EVENT_TYPES, type EventType } from "../protocol/enums.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** `order.*` stands for every event whose name begins so. */
export function parseTypes(words: string): EventType[] {
  const found = words.split(",").flatMap((word) => {
    const matching = EVENT_TYPES.filter(
      (type) => type === word || (word.endsWith(".*") && type.startsWith(word.slice(0, -1))),
    );
    if (matching.length === 0)
      throw refuse("types", `must be some of ${EVENT_TYPES.join(", ")}, comma separated`);
    return matching;
  });
  return [...new Set(found)];
}

/** Where a stream of events begins, and what it sends. */
export const eventStreamShape = z.object({
  after: text.meta({ example: "WzE3XQ" }).optional(),
  types: text.meta({ example: "order.filled,operation.*" }).transform(parseTypes).optional(),
});

export const eventListShape = eventStreamShape.extend({
  limit: integer
    .transform((value) => (value < 1 ? DEFAULT_LIMIT : Math.min(value, MAX_LIMIT)))
    .default(DEFAULT_LIMIT),
});
export type EventListInput = z.output<typeof eventListShape>;
