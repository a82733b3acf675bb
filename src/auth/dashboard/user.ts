import type { DashboardRole } from "../../protocol/enums.ts";
import { ApiError } from "../../protocol/errors.ts";

/** A user of /graphql or of the operator's stream. */
export interface DashboardUser {
  name: string;
  role: DashboardRole;
  /** Unix milliseconds; null: never. */
  expiresAt: number | null;
}

/** The user of every token in DASHBOARD_TOKENS. No other user may have the name. */
export const ENVIRONMENT_USER: DashboardUser = { name: "environment", role: "operator", expiresAt: null };

/** Maximum number of fields that a refusal names. */
const NAMED_MAX = 5;

/**
 * Returns the refusal of fields that are reserved for operators.
 * @param fields the requested fields, in order
 */
export function refuseToViewer(fields: readonly string[]): ApiError {
  const named = fields.slice(0, NAMED_MAX).join(", ");
  return new ApiError("POLICY_REFUSED", {
    message: `For operators alone: ${named}. The role viewer has no user addresses and no audit log`,
    param: fields[0] ?? null,
  });
}
