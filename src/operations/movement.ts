import type { Hex } from "viem";
import type { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import type { Viewer } from "../auth/viewer.ts";
import type { RouterCall } from "../calldata/calldata.ts";
import type { Requirement } from "../calldata/preflight.ts";
import type { Deps } from "../context/deps.ts";
import { type MovementInput, movementSendShape } from "../input/movement.ts";
import type { OperationType, SendOperation } from "../protocol/enums.ts";
import { gasLimitShape, requireGasLimit } from "../sending/gas.ts";
import { refuseOtherUser, type SendAnswer, sendForUser } from "../sending/send.ts";

/** Deposits and withdrawals, of cash and of stock, sent for the bound user. */

/** Schema of the arguments of each endpoint. */
export const sentMovementShape = movementSendShape.extend(gasLimitShape.shape);

interface Prepared {
  call: RouterCall;
  /** The stock's symbol; none for cash. */
  symbol?: string;
  /** Fee of a movement of cash, mUSD wad; stock has none. */
  notional?: bigint;
  requirementsOf(user: Hex): Promise<Requirement[]>;
}

interface MovementKind {
  operation: SendOperation;
  path: string;
  operationType: OperationType;
  prepare: (deps: Deps, viewer: Viewer, input: MovementInput) => Promise<Prepared>;
}

type SendMovement = (
  deps: Deps,
  caller: Caller,
  input: z.output<typeof sentMovementShape>,
  idempotencyKey: string | null,
) => Promise<SendAnswer>;

/** Returns a function that sends movements of a kind. It throws ApiError as `prepare` and sendForUser do. */
export function movementSender({ operation, path, operationType, prepare }: MovementKind): SendMovement {
  return (deps, caller, input, idempotencyKey) => {
    const incoming = { operation, method: "POST", path, input, idempotencyKey } as const;
    return sendForUser(deps, caller, incoming, async ({ user, gasLimitMax }) => {
      const { gasLimit = null } = input;
      requireGasLimit(gasLimit, gasLimitMax);
      refuseOtherUser(input.userAddress, user);
      const { call, symbol = null, notional = null, requirementsOf } = await prepare(deps, caller, input);
      return {
        call,
        gasLimit,
        requirements: await requirementsOf(user),
        operationType,
        deadline: null,
        clientOrderId: null,
        notional,
        symbol,
      };
    });
  };
}
