import { expect } from "@jest/globals";
import { ApiError } from "../../../src/protocol/errors.ts";

/** Returns an error as a caller receives it: its code and field. Rethrows anything but an ApiError. */
function told(error: unknown): { errCode: string; param: string | null } {
  if (!(error instanceof ApiError)) throw error;
  return { errCode: error.errCode, param: error.param };
}

/** Returns the code and field that a call is refused with. */
export function refusal(call: () => unknown): { errCode: string; param: string | null } {
  try {
    call();
  } catch (error) {
    return told(error);
  }
  throw new Error("the call was not refused");
}

/** Holds that a call is refused with this code and field. */
export async function expectRefusal(
  call: Promise<unknown>,
  errCode: string,
  param: string | null = null,
): Promise<ApiError> {
  const error: unknown = await call.then(
    () => new Error(`expected ${errCode}, but the call was answered`),
    (reason: unknown) => reason,
  );
  expect(told(error)).toEqual({ errCode, param });
  if (error instanceof ApiError) return error;
  throw error;
}
