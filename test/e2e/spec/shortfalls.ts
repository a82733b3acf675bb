import type { Calldata } from "../../support/http/answers.ts";
import { allOf, type Case, refused, told } from "./case.ts";
import * as g from "./context.ts";

/** Requests for more than the user has: the preflight reports them, the call reverts, and /send refuses them. */

/** More than the sandbox's user has of anything. */
const TOO_MUCH = "900000";
const MAX = 2n ** 256n - 1n;

/** Returns the preflight's finding for the calldata, the result of its eth_call, and the answer of /send. */
async function tryBoth(path: string, input: Record<string, unknown>) {
  const call = await g.data(
    g.trader.post<Calldata>(`${path}/calldata`, { ...input, userAddress: g.user.address }),
  );
  const chain = await g.tried(call, g.user.address);
  const send = await told(g.send(`${path}/send`, input));
  return { preflight: call.preflight, chain, send };
}

/** @param checks of the preflight, with their results */
const falls = (errCode: string, ...checks: [check: string, isMet: boolean][]): object => ({
  preflight: {
    ok: false,
    gasEstimate: null,
    checks: allOf(checks.map(([check, isMet]) => ({ check, ok: isMet }))),
  },
  chain: "reverted",
  send: refused(10002, errCode),
});

/** Returns a case that withdraws more than is available. */
export const overdrawn = (path: g.MovementPath, tokenAddress: string): Case => ({
  condition: "more than is available",
  request: () => tryBoth(path, g.movement(TOO_MUCH, tokenAddress)),
  outcome: falls("BALANCE_INSUFFICIENT", [
    path === "/cash/withdrawals" ? "mUsdBalance" : "exchangeBalance",
    false,
  ]),
});

/** With-deposit sells that lack one of the two things that they need. */
export const sellShortfalls: readonly Case[] = [
  {
    condition: "allowance, and less stock in the wallet than is sold",
    request: async () => {
      await g.approve(g.stock.address, MAX);
      return tryBoth("/orders/with-deposit", { ...g.marketSell(), quantity: TOO_MUCH });
    },
    outcome: falls("BALANCE_INSUFFICIENT", ["walletAllowance", true], ["walletBalance", false]),
  },
  {
    condition: "stock in the wallet, and no allowance",
    request: async () => {
      await g.approve(g.stock.address, 0n);
      const found = await tryBoth("/orders/with-deposit", g.marketSell());
      await g.approve(g.stock.address, MAX);
      return found;
    },
    outcome: falls("ALLOWANCE_INSUFFICIENT", ["walletAllowance", false], ["walletBalance", true]),
  },
];
