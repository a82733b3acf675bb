import { z } from "zod";
import { integer, oneOf, text, unixSeconds } from "../../context/input/fields.ts";
import { SEND_OPERATIONS, SEND_STATUSES } from "../../protocol/enums.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const sendIdShape = z.object({
  requestId: text
    .transform((value) => value.toLowerCase())
    .refine((value) => UUID.test(value), "must be a UUID")
    .meta({ example: "0f8b6f5e-3f0a-4c8e-9a43-6d6a1b1f2c3d" }),
});
export type SendIdInput = z.output<typeof sendIdShape>;

export const sendListShape = z.object({
  status: oneOf(SEND_STATUSES).optional(),
  operation: oneOf(SEND_OPERATIONS).optional(),
  clientOrderId: text
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 of A-Za-z0-9_-")
    .meta({ example: "order-42" })
    .optional(),
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
  limit: integer
    .transform((value) => (value < 1 ? DEFAULT_LIMIT : Math.min(value, MAX_LIMIT)))
    .default(DEFAULT_LIMIT),
  cursor: text.meta({ example: "WzE3OTUyMjY0MDAwMDBd" }).optional(),
});
export type SendListInput = z.output<typeof sendListShape>;
