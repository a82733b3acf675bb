import { z } from "zod";
import { eventTypes } from "../context/input/event-types.ts";
import { hash, integer, text } from "../context/input/fields.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** Begin and filter of a stream of events. */
export const eventStreamShape = z.object({
  after: text.meta({ example: "WzE3XQ" }).optional(),
  types: eventTypes.optional(),
});

export const eventListShape = eventStreamShape.extend({
  limit: integer
    .transform((value) => (value < 1 ? DEFAULT_LIMIT : Math.min(value, MAX_LIMIT)))
    .default(DEFAULT_LIMIT),
});
export type EventListInput = z.output<typeof eventListShape>;

/** The same for the operator, over all keys. */
export const operatorStreamShape = eventStreamShape.extend({
  chainId: integer.optional(),
  productType: text.optional(),
  keyId: z
    .uuid("must be a UUID")
    .transform((value) => value.toLowerCase())
    .optional(),
  objectId: hash.optional(),
});
