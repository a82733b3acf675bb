import { ApiError, AuthenticationError } from "../../../../client/src/index.ts";
import type { StoredKey } from "../../operator.ts";
import { requireMining } from "../../settler/desk.ts";
import { type ControlContext, ControlError, deskOf } from "../context.ts";
import { CAUSES } from "./causes.ts";
import { createScene, type TriggeredEvent } from "./scene.ts";

export interface TriggerInput {
  type: keyof typeof CAUSES;
  /** Name of a key of the sandbox, or an apiKey; by default the first that is bound to a user. */
  key?: string | undefined;
}

/**
 * Brings about an event in the log of a key.
 * @throws ControlError where there is no such key, or it may not do what the event needs
 */
export async function trigger(
  context: ControlContext,
  { type, key: name }: TriggerInput,
): Promise<TriggeredEvent> {
  const key = await keyOf(context, name);
  if (key.access !== "WRITABLE") throw new ControlError(409, `key: ${key.apiKey} is READ_ONLY`);
  const desk = deskOf(context, key.chainId);
  requireMining([desk]);
  try {
    return await CAUSES[type](await createScene({ type, context, desk, key }));
  } catch (error) {
    if (error instanceof ApiError || error instanceof AuthenticationError)
      throw new ControlError(409, `the API refuses what ${type} needs: ${error.message}`);
    throw error;
  }
}

async function keyOf({ operator, sandbox }: ControlContext, name: string | undefined): Promise<StoredKey> {
  const keys = sandbox()?.keys ?? [];
  const listed = keys.find((key) =>
    name === undefined ? key.access === "WRITABLE" && key.userAddress !== null : key.name === name,
  );
  const found = await operator.findKey(listed?.apiKey ?? name ?? "");
  if (found) return found;
  const names = keys.map((key) => key.name).join(", ");
  throw new ControlError(404, `there is no key ${name}; those of the sandbox are ${names}`);
}
