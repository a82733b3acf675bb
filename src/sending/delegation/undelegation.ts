import type { Hex } from "viem";
import { inputHash } from "../outbox/identity.ts";

/** Undelegating costs some 40,000. No estimate is requested, so that a block never waits for a node. */
export const UNDELEGATE_GAS = 150_000n;

/** Returns app.send_request.operation_key of the undelegation of one epoch of a user's delegation. */
export const undelegationKey = (user: Hex, epoch: number): string => `undelegate:${user}:${epoch}`;

/** Returns app.send_request.input_hash of the same undelegation. */
export const undelegationHash = (user: Hex, epoch: number): string =>
  inputHash("POST", "/1ct/disable", { user, epoch });
