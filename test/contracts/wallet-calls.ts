import { smartWalletAbi } from "../../packages/sandbox/src/contracts/bytecode.ts";
import { encoder } from "./calls.ts";

/** Calldata of the sandbox's smart wallet, which is no contract of the service. */
export const wallet = encoder(smartWalletAbi);
