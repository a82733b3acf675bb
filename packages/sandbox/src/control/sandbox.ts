import { z } from "zod";
import { OUTAGE_PARTS } from "../outages.ts";
import { requireMining } from "../settler/desk.ts";
import type { SandboxState } from "../state.ts";
import { type ControlContext, ControlError, deskOf } from "./context.ts";
import { chainId, integer, oneOf } from "./fields.ts";
import { route } from "./route.ts";
import { TRIGGERED_TYPES } from "./trigger/causes.ts";
import { trigger } from "./trigger/trigger.ts";

const none = z.strictObject({});
const OUTAGE_SECONDS_MAX = 600;
const seconds = integer.refine(
  (value) => value >= 0 && value <= OUTAGE_SECONDS_MAX,
  `must be from 0 to ${OUTAGE_SECONDS_MAX}`,
);

export const sandboxRoutes = [
  route({
    method: "GET",
    path: "/sandbox",
    does: "URLs, chains, keys and users, as in state.json; 409 until all of it is ready.",
    params: none,
    body: none,
    run: (context) => requireReady(context),
  }),
  route({
    method: "POST",
    path: "/users",
    does: "Makes a user with coins, cash, stock and mUSD, and a key that may send for them.",
    params: none,
    body: z.strictObject({ chainId: chainId.optional() }),
    run: (context, _params, { chainId: wanted }) => {
      const [first] = requireReady(context).chains;
      const desk = deskOf(context, wanted ?? first?.chainId ?? 0);
      requireMining([desk]);
      return context.makeUser(desk.deployment.chainId);
    },
  }),
  route({
    method: "POST",
    path: "/trigger",
    does: "Brings about an event of a type in the log of a key, with all that it needs beforehand, and answers the event.",
    params: none,
    body: z.strictObject({ type: oneOf(TRIGGERED_TYPES), key: z.string().optional() }),
    run: (context, _params, body) => {
      requireReady(context);
      return trigger(context, body);
    },
  }),
  route({
    method: "POST",
    path: "/outage",
    does: `Stops a part for some seconds, up to ${OUTAGE_SECONDS_MAX}; 0 ends its outage.`,
    params: none,
    body: z.strictObject({ part: oneOf(OUTAGE_PARTS), seconds }),
    run: ({ outages }, _params, { part, seconds: length }) => {
      try {
        outages.start(part, length);
      } catch (error) {
        throw new ControlError(409, error instanceof Error ? error.message : String(error));
      }
      return { part, seconds: length };
    },
  }),
];

/** @throws ControlError 409 while the sandbox starts */
function requireReady({ sandbox }: ControlContext): SandboxState {
  const state = sandbox();
  if (state) return state;
  throw new ControlError(409, "the sandbox is starting: ask again");
}
