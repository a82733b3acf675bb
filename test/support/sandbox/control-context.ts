import { pino } from "pino";
import type { ControlContext } from "../../../packages/sandbox/src/control/context.ts";
import { createOperator } from "../../../packages/sandbox/src/operator.ts";
import { createOutages } from "../../../packages/sandbox/src/outages.ts";

/** Returns the parts of a control that has no service beside it: chains alone, and the market. */
export function contextWithoutService(
  parts: Pick<ControlContext, "desks" | "market"> & Partial<ControlContext>,
): ControlContext {
  return {
    baseUrl: "http://127.0.0.1:1",
    wallets: new Map(),
    operator: createOperator({
      databaseUrl: "postgres://127.0.0.1:1/none",
      deployments: { chains: [] },
      secrets: { masterKeys: "" },
      ips: [],
    }),
    makeUser: () => Promise.reject(new Error("there is no api")),
    outages: createOutages(() => []),
    sandbox: () => null,
    allowed: { origins: [], hosts: [] },
    log: pino({ level: "silent" }),
    now: Date.now,
    ...parts,
  };
}
