import type { Logger } from "pino";
import { type Address, isAddressEqual, type LocalAccount } from "viem";
import type { Allowed } from "../browser-guard.ts";
import type { Market } from "../feed/market.ts";
import type { NewUser } from "../new-user.ts";
import type { Operator } from "../operator.ts";
import type { Outages } from "../outages.ts";
import type { Desk } from "../settler/desk.ts";
import type { SandboxState } from "../state.ts";

/** Parts of the sandbox that scripts may use. */
export interface ControlContext {
  /** By chain id. */
  desks: ReadonlyMap<number, Desk>;
  market: Market;
  /** Of the API. */
  baseUrl: string;
  /** Users' wallets that are known here, by address in lower case. */
  wallets: ReadonlyMap<string, LocalAccount>;
  operator: Operator;
  /** Makes a user of a chain, with a key of their own. */
  makeUser(chainId: number): Promise<NewUser>;
  outages: Outages;
  /** Returns the state of the sandbox; null until it is ready. */
  sandbox(): SandboxState | null;
  allowed: Allowed;
  log: Logger;
  /** Unix milliseconds. */
  now: () => number;
}

/** A script's mistake, or a refusal it should see: the answer's HTTP status and text. */
export class ControlError extends Error {
  constructor(
    readonly status: 400 | 404 | 409 | 503,
    message: string,
    readonly detail: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** @throws ControlError 404 where the sandbox has no such chain. */
export function deskOf({ desks }: ControlContext, chainId: number): Desk {
  const desk = desks.get(chainId);
  if (desk) return desk;
  throw new ControlError(
    404,
    `there is no chain ${chainId}; the chains are ${[...desks.keys()].join(" and ")}`,
  );
}

/** Returns the desks of a call: that of the chain it names, else all. */
export function desksOf(context: ControlContext, chainId: number | undefined): Desk[] {
  return chainId === undefined ? [...context.desks.values()] : [deskOf(context, chainId)];
}

/**
 * Returns the desks whose deployment lists the token as this kind; contracts may have one address on every chain.
 * @throws ControlError 404 where none does.
 */
export function desksWithToken(
  context: ControlContext,
  kind: "cashTokens" | "stockTokens",
  token: Address,
  chainId: number | undefined,
): Desk[] {
  const found = desksOf(context, chainId).filter((desk) =>
    desk.deployment[kind].some(({ address }) => isAddressEqual(address, token)),
  );
  if (found.length > 0) return found;
  throw new ControlError(404, `${token} is none of the ${kind === "cashTokens" ? "cash" : "stock"} tokens`);
}
