// Lists what Ponder follows: every product of one chain of the deployments file. No chain id is written here.
import { createConfig, factory } from "ponder";
import { getAbiItem } from "viem";
import {
  cashierAbi,
  oneClickRouterAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../src/contracts/abi/index.ts";
import { chain } from "./deployed.ts";
import type { ContractName } from "./products.ts";
import { validatingTransport, type Warn } from "./transport.ts";

const { chainId, rpcUrls, pollingIntervalMs, ephemeral } = chain;
const name = `${chainId}`;

/** From the first block of a product on. */
const startBlock = Math.min(...chain.products.map((product) => product.startBlock));
const addressesOf = (contract: ContractName) => chain.products.map(({ contracts }) => contracts[contract]);
const everywhere = (contract: ContractName) => ({ [name]: { address: addressesOf(contract), startBlock } });

/** Returns a factory of stock tokens: each one that a Stock contract lists is followed from then on. */
function listedStockTokens() {
  const event = getAbiItem({ abi: stockAbi, name: "StockTokenListed" });
  const address = factory({ address: addressesOf("stock"), event, parameter: "stockToken" });
  return { [name]: { address, startBlock } };
}

/**
 * Ponder lets each URL begin with 20 requests a second and raises that by a twentieth every few seconds. That suits a
 * provider; a development chain is our own, and mines hundreds of blocks in a burst.
 */
const often = (urls: readonly string[]) => Array.from({ length: 16 }, () => urls).flat();

/** Writes warnings as lines of JSON like those of Ponder's own log, on the same stream. */
const warn: Warn = (warning) => {
  process.stdout.write(`${JSON.stringify({ level: 40, time: Date.now(), ...warning })}\n`);
};

/** Most connections of a chain's process: two, and a quarter of the rest for each of three uses. */
const CONNECTIONS_MAX = 14;

export default createConfig({
  // ponder-database.mjs guards the transactions of this ordering.
  ordering: "multichain",
  database: { kind: "postgres", poolConfig: { max: CONNECTIONS_MAX } },
  chains: {
    [name]: {
      id: chainId,
      rpc: ephemeral ? often(rpcUrls) : validatingTransport(rpcUrls, warn),
      pollingInterval: pollingIntervalMs,
      disableCache: ephemeral,
    },
  },
  contracts: {
    StockRouter: { abi: stockRouterAbi, chain: everywhere("stockRouter") },
    Cashier: { abi: cashierAbi, chain: everywhere("cashier") },
    Stock: { abi: stockAbi, chain: everywhere("stock") },
    OneClickRouter: { abi: oneClickRouterAbi, chain: everywhere("oneClickRouter") },
    StockToken: { abi: stockTokenAbi, chain: listedStockTokens() },
  },
});
