// Lists what Ponder follows: every product of the deployments file, on every chain. No chain id is written here.
import { createConfig, factory } from "ponder";
import { getAbiItem } from "viem";
import {
  cashierAbi,
  oneClickRouterAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../src/contracts/abi/index.ts";
import { deployments } from "./deployed.ts";
import type { ContractName } from "./products.ts";
import { validatingTransport, type Warn } from "./transport.ts";

/** Returns where one contract is on each chain: its address in every product, from the first of their start blocks on. */
function everywhere(contract: ContractName) {
  return Object.fromEntries(
    deployments.chains.map(({ chainId, products }) => [
      `${chainId}`,
      {
        address: products.map(({ contracts }) => contracts[contract]),
        startBlock: Math.min(...products.map(({ startBlock }) => startBlock)),
      },
    ]),
  );
}

/** Returns a factory of stock tokens: each one that a Stock contract lists is followed from then on. */
function listedStockTokens() {
  const event = getAbiItem({ abi: stockAbi, name: "StockTokenListed" });
  return Object.fromEntries(
    Object.entries(everywhere("stock")).map(([chain, { address, startBlock }]) => [
      chain,
      { address: factory({ address, event, parameter: "stockToken" }), startBlock },
    ]),
  );
}

/**
 * Ponder lets each URL begin with 20 requests a second and raises that by a twentieth every few seconds. That suits a
 * provider; a development chain is our own, and mines hundreds of blocks in a burst.
 */
const often = (urls: readonly string[]) => Array.from({ length: 16 }, () => urls).flat();

/** Writes warnings as lines of JSON like those of Ponder's own log, on the same stream. */
function warnAbout(chainId: number): Warn {
  return (warning) => {
    process.stdout.write(
      `${JSON.stringify({ level: 40, time: Date.now(), chain_id: chainId, ...warning })}\n`,
    );
  };
}

export default createConfig({
  // Chains advance on their own, none waits for another. A reorg of one also takes back what the others did since, for
  // the moment until the next block; "experimental_isolated" would not, but in 0.16 two chains that catch up at the same
  // time make it fail (both create the same trigger functions).
  ordering: "multichain",
  chains: Object.fromEntries(
    deployments.chains.map(({ chainId, rpcUrls, pollingIntervalMs, ephemeral }) => [
      `${chainId}`,
      {
        id: chainId,
        rpc: ephemeral ? often(rpcUrls) : validatingTransport(rpcUrls, warnAbout(chainId)),
        pollingInterval: pollingIntervalMs,
        disableCache: ephemeral,
      },
    ]),
  ),
  contracts: {
    StockRouter: { abi: stockRouterAbi, chain: everywhere("stockRouter") },
    Cashier: { abi: cashierAbi, chain: everywhere("cashier") },
    Stock: { abi: stockAbi, chain: everywhere("stock") },
    OneClickRouter: { abi: oneClickRouterAbi, chain: everywhere("oneClickRouter") },
    StockToken: { abi: stockTokenAbi, chain: listedStockTokens() },
  },
});
