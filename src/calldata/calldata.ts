import { encodeFunctionData, erc20Abi, getAddress, type Hex } from "viem";
import type { ErrCode } from "../protocol/errors.ts";

/** Refusals of every amount of a token. */
export const AMOUNT_REFUSALS = [
  "TOO_MANY_DECIMALS",
  "TOKEN_NOT_SUPPORTED",
  "TOKEN_PAUSED",
  "BELOW_MINIMUM",
] as const satisfies readonly ErrCode[];

/** A call to submit; addresses lower case. */
export interface Call {
  toAddress: Hex;
  value: "0";
  callData: Hex;
}

/** A call of the router, with what it encodes in words. */
export interface RouterCall extends Call {
  method: string;
  args: Readonly<Record<string, string>>;
}

/** docs/api.md#calldata-reply: what every calldata endpoint answers, before its preflight. */
export interface CalldataReply {
  toAddress: string;
  value: string;
  callData: Hex;
  method: string;
  args: Readonly<Record<string, string>>;
  chainId: number;
  productType: string;
}

/** Freezes a router call: what was encoded is what is checked, shown and submitted. */
export function routerCall(
  router: Hex,
  method: string,
  callData: Hex,
  args: Record<string, string>,
): RouterCall {
  return Object.freeze({ toAddress: router, value: "0", callData, method, args: Object.freeze(args) });
}

/** Lets a spender take an amount (base units) of a token. */
export function approveCall(token: Hex, spender: Hex, amount: bigint): Call {
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });
  return Object.freeze({ toAddress: token, value: "0", callData });
}

/** Returns a call as it is shown. */
export const presentCall = ({ toAddress, value, callData }: Call) => ({
  toAddress: getAddress(toAddress),
  value,
  callData,
});

/** Returns a router call as it is shown, in its scope. */
export function presentCalldata(
  call: RouterCall,
  { chainId, productType }: { chainId: number; productType: string },
): CalldataReply {
  return { ...presentCall(call), method: call.method, args: call.args, chainId, productType };
}
