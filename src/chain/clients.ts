import { createPublicClient, defineChain, fallback, type Hex, type PublicClient } from "viem";
import {
  type ChainConfig,
  type Deployments,
  findProduct,
  type ProductConfig,
} from "../config/deployments.ts";
import { type BeginRpc, UNOBSERVED } from "../telemetry/rpc.ts";
import { type BlockReads, createBlockReads } from "./reads.ts";
import { createTokenReads, type TokenReads } from "./token-metadata.ts";
import { createNodeTransport } from "./transport.ts";

/** A chain of the deployments file, with its clients and shared reads. */
export interface Chain {
  config: ChainConfig;
  /** Asks the first RPC URL that answers. */
  client: PublicClient;
  /** One client per RPC URL, for questions to every node. */
  nodes: readonly PublicClient[];
  /** Reads at the indexed block, shared by all requests of that block. */
  reads: BlockReads;
  /** Names and symbols of tokens; read once. */
  tokens: TokenReads;
}

export type Chains = ReadonlyMap<number, Chain>;

/**
 * Creates clients for every chain of the deployments file. Nothing is asked of a node yet.
 * @param observe returns the observer of requests to a chain's nodes
 */
export function createChains(
  deployments: Deployments,
  observe: (chainId: number) => BeginRpc = () => UNOBSERVED,
): Chains {
  return new Map(
    deployments.chains.map((config) => [config.chainId, createChain(config, observe(config.chainId))]),
  );
}

/**
 * Returns the chain and product of a scope.
 * @throws Error where the installation does not serve it: authentication lets no such scope through
 */
export function resolveScope(
  { deployments, chains }: { deployments: Deployments; chains: Chains },
  { chainId, productType }: { chainId: number; productType: string },
): { chain: Chain; product: ProductConfig } {
  const found = findProduct(deployments, chainId, productType);
  const chain = chains.get(chainId);
  if (!found || !chain) throw new Error(`${chainId}/${productType} is not in the deployments file`);
  return { chain, product: found.product };
}

function createChain(config: ChainConfig, begin: BeginRpc): Chain {
  const chain = defineChain({
    id: config.chainId,
    name: `chain ${config.chainId}`,
    nativeCurrency: { name: "native coin", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: config.rpcUrls } },
    ...(config.multicall3 ? { contracts: { multicall3: { address: config.multicall3 as Hex } } } : {}),
  });
  const transports = config.rpcUrls.map((url) => createNodeTransport(url, begin));
  const shared = { chain, cacheTime: 0, pollingInterval: config.pollingIntervalMs };
  const client: PublicClient = createPublicClient({
    ...shared,
    transport: fallback(transports, { retryCount: 1, retryDelay: 100 }),
  });
  const nodes = transports.map((transport): PublicClient => createPublicClient({ ...shared, transport }));
  const reads = createBlockReads(client, config.multicall3);
  return { config, client, nodes, reads, tokens: createTokenReads(reads) };
}
