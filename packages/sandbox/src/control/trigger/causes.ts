import { mappingCauses } from "./mappings.ts";
import { operationCauses } from "./operations.ts";
import { orderCauses } from "./orders.ts";
import type { Cause, TriggeredEvent } from "./scene.ts";
import { sendCauses } from "./sends.ts";
import { serviceCauses } from "./service.ts";
import { webhookCauses } from "./webhooks.ts";

/** Brings about each documented type of event, by its name. */
export const CAUSES = {
  ...orderCauses,
  ...operationCauses,
  ...mappingCauses,
  ...sendCauses,
  ...webhookCauses,
  ...serviceCauses,
} satisfies Record<TriggeredEvent["type"], Cause>;

export const TRIGGERED_TYPES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];
