import { getAddress } from "viem";
import { resolveScope } from "../chain/clients.ts";
import { type CreditBuffer, maxInstantDeposit, maxInstantWithdrawal } from "../chain/product/cashier.ts";
import type { CashToken } from "../chain/product/tokens.ts";
import type { TokenMetadata } from "../chain/token-metadata.ts";
import type { ProductConfig } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import { readTerms } from "../context/terms.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { formatDecimal, formatWad } from "../protocol/decimal.ts";
import type { ProductId } from "../protocol/shapes.ts";

/** Decimals of minAmount and usdRate in the Cashier. */
const RATE_DECIMALS = 6;

/** GET /config. @throws ApiError INDEXER_BEHIND, RPC_UNAVAILABLE (the first time a token's name is needed) */
export async function getConfig(deps: Deps, { chainId, productType }: ProductId) {
  const scope = { chainId, productType };
  const { chain, product } = resolveScope(deps, scope);
  const { block, data } = await readTerms(deps.prisma, scope);
  const metadata = await chain.tokens.metadata(data.cashTokens.map(({ address }) => address));
  const { fees, buffer, cashTokens } = data;
  return {
    block,
    data: {
      ...scope,
      contracts: presentContracts(product),
      cashierBuffer: {
        creditBuffer: formatWad(buffer.creditBuffer),
        creditBufferCapacity: formatWad(buffer.creditBufferCapacity),
      },
      exchangeFeeConfig: {
        ...scope,
        buyFeeBps: fees.buyFeeBps,
        sellFeeBps: fees.sellFeeBps,
        minFee: formatWad(fees.minFee),
      },
      cashierTokenConfig: cashTokens.map((token) =>
        presentCashToken(token, buffer, metadata.get(token.address)),
      ),
    },
  } satisfies AtBlock<unknown>;
}

/** Callers approve the router for cash and stock alike: it moves the tokens to Cashier or Stock. */
function presentContracts({ contracts }: ProductConfig) {
  const stockRouter = getAddress(contracts.stockRouter);
  return {
    stockRouter,
    cashier: getAddress(contracts.cashier),
    stock: getAddress(contracts.stock),
    oneClickRouter: getAddress(contracts.oneClickRouter),
    cashSpender: stockRouter,
    stockSpender: stockRouter,
  };
}

function presentCashToken(token: CashToken, buffer: CreditBuffer, metadata: TokenMetadata | undefined) {
  const amount = (value: bigint) => formatDecimal(value, token.decimals);
  return {
    tokenAddress: getAddress(token.address),
    symbol: metadata?.symbol ?? "",
    name: metadata?.name ?? "",
    decimals: token.decimals,
    minAmount: formatDecimal(token.minAmount, RATE_DECIMALS),
    usdRate: formatDecimal(token.usdRate, RATE_DECIMALS),
    depositPaused: token.depositPaused,
    withdrawPaused: token.withdrawPaused,
    withdrawBuffer: amount(token.withdrawBuffer),
    withdrawBufferCapacity: amount(token.withdrawBufferCapacity),
    depositFeeBps: token.depositFeeBps,
    withdrawFeeBps: token.withdrawFeeBps,
    maxInstantDeposit: amount(maxInstantDeposit(token, buffer)),
    maxInstantWithdrawal: formatWad(maxInstantWithdrawal(token, buffer)),
  };
}
