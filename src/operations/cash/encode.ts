import { encodeFunctionData, getAddress, type Hex } from "viem";
import { type RouterCall, routerCall } from "../../calldata/calldata.ts";
import { stockRouterAbi } from "../../contracts/abi/index.ts";

/** Encodes a cash deposit for the router. @param amount token base units, at most uint96 */
export function encodeDeposit(router: Hex, token: Hex, amount: bigint): RouterCall {
  const callData = encodeFunctionData({
    abi: stockRouterAbi,
    functionName: "deposit",
    args: [token, amount],
  });
  return routerCall(router, "deposit", callData, { token: getAddress(token), amount: `${amount}` });
}

/** Encodes a cash withdrawal for the router. @param amountWad mUSD wad, at most uint96 */
export function encodeWithdrawal(router: Hex, token: Hex, amountWad: bigint): RouterCall {
  const callData = encodeFunctionData({
    abi: stockRouterAbi,
    functionName: "withdraw",
    args: [token, amountWad],
  });
  return routerCall(router, "withdraw", callData, { token: getAddress(token), amountWad: `${amountWad}` });
}
