import type pg from "pg";
import { z } from "zod";
import { messagesOf } from "../db/errors.ts";
import { queryMaybeOne } from "../db/query.ts";
import { sql } from "../db/sql.ts";

/** An action that needs two logins (docs/DATABASE.md#two-people). */
const actionSchema = z.object({ action: z.string(), subject: z.string() });
export type ConfirmedAction = z.output<typeof actionSchema>;

/** Of app.confirm_action(), which ends a transaction whose action no other login has asked for. */
const NEEDED = "PT002";
const MESSAGE = /needs a second login: (\{[^{}]*\})/;

/** Returns the action that a transaction was ended for, or null where it failed for another reason. */
export function unconfirmedAction(error: unknown): ConfirmedAction | null {
  const text = messagesOf(error, NEEDED)
    .map((message) => MESSAGE.exec(message)?.[1])
    .find((found) => found !== undefined);
  return text === undefined ? null : actionSchema.parse(JSON.parse(text));
}

const requestSchema = z.object({ until: z.date() });

/**
 * Asks for an action in the name of the connection's login.
 * @returns until when another login may confirm it; null where it needs no other any more
 */
export async function requestAction(
  pool: pg.Pool,
  { action, subject }: ConfirmedAction,
): Promise<Date | null> {
  const statement = sql`
    INSERT INTO app.action_request (action, subject)
    SELECT r.action, ${subject} FROM app.second_login r WHERE r.action = ${action}
    RETURNING requested_at + interval '10 minutes' AS until`;
  return (await queryMaybeOne(pool, statement, requestSchema))?.until ?? null;
}
