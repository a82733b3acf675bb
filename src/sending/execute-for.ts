import { concat, decodeFunctionData, encodeFunctionData, type Hex, isHex, size, slice } from "viem";
import { oneClickRouterAbi } from "../contracts/abi/index.ts";
import { parseTrailer, type Trailer } from "./trailer.ts";

/** Wraps a verb that sends as a resolver. */
export interface ExecuteFor {
  /** Lower case. */
  user: Hex;
  routerCall: Hex;
  /** Null where nothing follows the arguments, as in requests of earlier versions. */
  trailer: Trailer | null;
}

const encodeBare = (user: Hex, routerCall: Hex): Hex =>
  encodeFunctionData({ abi: oneClickRouterAbi, functionName: "executeFor", args: [user, routerCall] });

/** Returns the data of a transaction that makes a call of the router for a user. */
export const encodeExecuteFor = (user: Hex, routerCall: Hex, trailer: Hex): Hex =>
  concat([encodeBare(user, routerCall), trailer]);

/**
 * Decodes the data of a transaction that makes a call of the router for a user. Accepts only the bytes that encodeExecuteFor
 * writes, with a whole trailer behind the arguments or none.
 * @returns null for anything else
 */
export function decodeExecuteFor(data: Hex): ExecuteFor | null {
  const args = argsOf(data);
  if (!args) return null;
  const [user, routerCall] = [args[0].toLowerCase() as Hex, args[1]];
  const bare = encodeBare(user, routerCall);
  if (!data.toLowerCase().startsWith(bare)) return null;
  if (size(data) === size(bare)) return { user, routerCall, trailer: null };
  const trailer = parseTrailer(slice(data, size(bare)));
  return trailer && { user, routerCall, trailer };
}

function argsOf(data: Hex): readonly [Hex, Hex] | null {
  if (!isHex(data)) return null;
  try {
    const { functionName, args } = decodeFunctionData({ abi: oneClickRouterAbi, data });
    return functionName === "executeFor" ? args : null;
  } catch {
    return null;
  }
}
