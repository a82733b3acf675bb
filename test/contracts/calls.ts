import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
} from "viem";
import {
  cashierAbi,
  cashTokenAbi,
  oneClickRouterAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../../src/contracts/abi/index.ts";

type Mutability = "nonpayable" | "payable";

/** Returns an encoder of calldata whose names and arguments are checked against the ABI. */
export function encoder<const A extends Abi>(abi: A) {
  return <F extends ContractFunctionName<A, Mutability>>(
    functionName: F,
    ...args: ContractFunctionArgs<A, Mutability, F> & readonly unknown[]
  ): Hex => {
    // The types above suffice; inside, generic, they are too deep for the compiler.
    const untyped: { abi: Abi; functionName: string; args: readonly unknown[] } = { abi, functionName, args };
    return encodeFunctionData(untyped);
  };
}

export const router = encoder(stockRouterAbi);
export const cashier = encoder(cashierAbi);
export const stock = encoder(stockAbi);
export const oneClick = encoder(oneClickRouterAbi);
export const stockToken = encoder(stockTokenAbi);
export const cashToken = encoder(cashTokenAbi);

/** A deadline that no test reaches: 2100-01-01. */
export const LATER = 4_102_444_800;
export const DAY = 0;
