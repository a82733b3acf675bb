import type { Caller } from "../auth/caller.ts";
import { rotateOwnSecret } from "../auth/rotation-store.ts";
import { newSecret, sealSecret } from "../auth/secrets.ts";
import type { Deps } from "../context/deps.ts";
import { ApiError } from "../protocol/errors.ts";
import type { RotateInput } from "./input.ts";

type RotateDeps = Pick<Deps, "pool" | "masterKeys" | "now">;

/**
 * POST /key/rotate (docs/authentication.md#rotating-your-secret). The secret that signed works on, so a request whose answer was lost can
 * be sent again.
 * @throws ApiError KEY_CHANGED, RATE_LIMITED
 */
export async function rotateKey(
  { pool, masterKeys, now }: RotateDeps,
  { keyId, apiKey, signed }: Caller,
  { overlapSeconds }: RotateInput,
) {
  if (!signed) throw new Error("the caller has signed nothing");
  const apiSecret = newSecret();
  const sealed = sealSecret(masterKeys, keyId, apiSecret);
  const rotation = await rotateOwnSecret(pool, { ...sealed, keyId, signed, overlapSeconds });
  if (rotation.outcome === "changed") throw new ApiError("KEY_CHANGED");
  const { at } = rotation;
  if (rotation.outcome === "limited") {
    const retryAfterSeconds = Math.max(1, Math.ceil((at.getTime() - now()) / 1000));
    throw new ApiError("RATE_LIMITED", {
      message: "A key rotates at most 5 times an hour",
      retryAfterSeconds,
    });
  }
  return { apiKey, apiSecret, previousSecretUntil: Math.floor(at.getTime() / 1000) };
}
