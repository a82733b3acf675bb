import { z } from "zod";
import { parseTypes } from "../context/input/event-types.ts";
import { integer, oneOf, text } from "../context/input/fields.ts";
import { DELIVERY_STATUSES } from "../protocol/enums.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const URL_MAX = 1_000;

const uuid = (example: string) =>
  z
    .string({ error: "must be a UUID" })
    .max(36, { error: "must be a UUID", abort: true })
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a UUID")
    .transform((value) => value.toLowerCase())
    .meta({ example });

const webhookId = uuid("7c1f3b52-9d64-4b0e-9a7e-2f8d5c6b1a90");
const deliveryId = uuid("0b6e4a1d-53c7-4c0a-8f5e-9d2b7a6c3e18");

/** Names of events as stored: each once, in the order given; empty for all. */
const types = text
  .meta({ example: "order.*,operation.completed" })
  .transform((words) => {
    parseTypes(words);
    return [...new Set(words.split(","))].join(",");
  })
  .optional()
  .transform((words) => words ?? "");

/** The URL's form is checked by parseTarget, whose refusal has a code of its own. */
const url = z
  .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
  .max(URL_MAX, "is too long")
  .meta({ example: "https://partner.example/hooks/trading" });

const limit = integer
  .transform((value) => (value < 1 ? DEFAULT_LIMIT : Math.min(value, MAX_LIMIT)))
  .default(DEFAULT_LIMIT);

const OVERLAP_DEFAULT_SECONDS = 86_400;
const OVERLAP_MAX_SECONDS = 604_800;

export const createShape = z.object({ url, types });
export type CreateInput = z.output<typeof createShape>;

export const webhookShape = z.object({ webhookId });
export type WebhookInput = z.output<typeof webhookShape>;

export const deliveriesShape = z.object({
  webhookId,
  status: oneOf(DELIVERY_STATUSES).optional(),
  limit,
  cursor: text.meta({ example: "WzE3XQ" }).optional(),
});
export type DeliveriesInput = z.output<typeof deliveriesShape>;

export const redeliverShape = z.object({ webhookId, deliveryId });
export type RedeliverInput = z.output<typeof redeliverShape>;

export const rotateShape = z.object({
  webhookId,
  overlapSeconds: integer
    .refine(
      (value) => value >= 0 && value <= OVERLAP_MAX_SECONDS,
      `must be from 0 to ${OVERLAP_MAX_SECONDS} seconds`,
    )
    .default(OVERLAP_DEFAULT_SECONDS),
});
export type RotateInput = z.output<typeof rotateShape>;
