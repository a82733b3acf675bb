import { z } from "zod";
import { requireMining } from "../settler/desk.ts";
import type { SandboxState } from "../state.ts";
import { type ControlContext, ControlError, deskOf } from "./context.ts";
import { chainId } from "./fields.ts";
import { route } from "./route.ts";

const none = z.strictObject({});

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
];

/** @throws ControlError 409 while the sandbox starts */
function requireReady({ sandbox }: ControlContext): SandboxState {
  const state = sandbox();
  if (state) return state;
  throw new ControlError(409, "the sandbox is starting: ask again");
}
