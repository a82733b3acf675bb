import { SEND_OPERATIONS } from "../../../../src/protocol/enums.ts";

/** Names for `--operations`: those of /send endpoints. */
export const OPERATIONS: readonly string[] = SEND_OPERATIONS.filter((name) => !name.startsWith("1ct/"));

/** Options of `policies set`. */
export interface SetOptions {
  dailyNotional?: bigint | "none";
  symbols?: string;
  operations?: string;
  expires?: Date | "never";
  kill?: boolean;
  json?: boolean;
}
