import { encodeFunctionData, getAddress, type Hex } from "viem";
import { type RouterCall, routerCall } from "../../calldata/calldata.ts";
import { stockRouterAbi } from "../../contracts/abi/index.ts";

/** Encodes a movement of stock between wallet and exchange for the router. @param amount stock wad */
export function encodeMovement(
  functionName: "depositStock" | "withdrawStock",
  router: Hex,
  stockAddress: Hex,
  amount: bigint,
): RouterCall {
  const callData = encodeFunctionData({ abi: stockRouterAbi, functionName, args: [stockAddress, amount] });
  const args = { stockToken: getAddress(stockAddress), amount: `${amount}` };
  return routerCall(router, functionName, callData, args);
}
