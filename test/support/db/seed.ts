import { cashierAbi, stockAbi } from "../../../src/contracts/abi/index.ts";
import type { Product } from "../chain/product.ts";
import { PRODUCT } from "../http/features.ts";
import type { Onchain } from "./onchain.ts";

/** Writes what the index says of a fresh product's tokens and terms, as its contracts tell it. */
export async function seedTerms(onchain: Onchain, { client, deployment }: Product): Promise<void> {
  const scope = { chainId: deployment.chainId, productType: PRODUCT };
  const cashier = { address: deployment.cashier, abi: cashierAbi } as const;
  const { number, timestamp } = await client.getBlock();
  await onchain.setBlock(deployment.chainId, { number, timestamp });
  await onchain.insert("cashierState", {
    ...scope,
    creditBuffer: await client.readContract({ ...cashier, functionName: "creditBufferWad" }),
    creditBufferCapacity: await client.readContract({ ...cashier, functionName: "creditBufferWadCapacity" }),
  });
  const [buyFeeBps, sellFeeBps, minFeeWad] = await client.readContract({
    address: deployment.stock,
    abi: stockAbi,
    functionName: "feeConfig",
  });
  await onchain.insert("feeConfig", { ...scope, buyFeeBps, sellFeeBps, minFeeWad });
  for (const [index, { address, stockSymbol }] of deployment.stockTokens.entries()) {
    await onchain.insert("stockToken", {
      ...scope,
      tokenAddress: address,
      symbol: stockSymbol,
      tradable: true,
      multiplier: 10n ** 18n,
      listedAt: BigInt(index),
    });
  }
  for (const [index, { address }] of deployment.cashTokens.entries()) {
    const config = await client.readContract({ ...cashier, functionName: "tokenConfig", args: [address] });
    const [
      minAmount,
      decimals,
      depositPaused,
      withdrawPaused,
      usdRate,
      buffer,
      capacity,
      depositFee,
      withdrawFee,
    ] = config;
    await onchain.insert("cashToken", {
      ...scope,
      tokenAddress: address,
      supported: true,
      decimals,
      minAmount: BigInt(minAmount),
      usdRate: BigInt(usdRate),
      depositPaused,
      withdrawPaused,
      withdrawBuffer: buffer,
      withdrawBufferCapacity: capacity,
      depositFeeBps: depositFee,
      withdrawFeeBps: withdrawFee,
      listedAt: BigInt(index),
    });
  }
}
