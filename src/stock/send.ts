import { encodeFunctionData, erc20Abi, getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { amountOf } from "../chain/wallet.ts";
import { stockAbi, stockRouterAbi } from "../contracts/abi/index.ts";
import { readAtBlock } from "../db/checkpoint.ts";
import { Prisma } from "../db/generated/client.ts";
import type { Deps } from "../deps.ts";
import { address, amountIn, decimal, parseInput } from "../input/fields.ts";
import { WAD_DECIMALS } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import { type RouterCall, routerCall } from "../transactions/calldata.ts";
import { readGasLimit } from "../transactions/gas.ts";
import type { Need } from "../transactions/preflight.ts";
import { requireBoundUser, type SendAnswer, type SendGround, sendForUser } from "../transactions/send.ts";

const MAX_UINT256 = 2n ** 256n - 1n;
const shape = z.object({ userAddress: address.optional(), tokenAddress: address, tokenAmount: decimal });

interface Kind {
  operation: string;
  path: string;
  operationType: "stock-deposit" | "stock-withdraw";
  functionName: "depositStock" | "withdrawStock";
  needs(ground: SendGround, token: Hex, required: bigint): Promise<Need[]>;
}

const DEPOSIT: Kind = {
  operation: "stock/deposits",
  path: "/stock/deposits/send",
  operationType: "stock-deposit",
  functionName: "depositStock",
  /** Allowance first: it is what a user forgets. */
  needs: async ({ chain, product, user }, token, required) => {
    const { results } = await chain.reads.latest([
      {
        address: token,
        abi: erc20Abi,
        functionName: "allowance",
        args: [user, product.contracts.stockRouter],
      },
      { address: token, abi: erc20Abi, functionName: "balanceOf", args: [user] },
    ]);
    return [
      need("walletAllowance", required, amountOf(results[0])),
      need("walletBalance", required, amountOf(results[1])),
    ];
  },
};

const WITHDRAWAL: Kind = {
  operation: "stock/withdrawals",
  path: "/stock/withdrawals/send",
  operationType: "stock-withdraw",
  functionName: "withdrawStock",
  needs: async ({ chain, product, user }, token, required) => {
    const { results } = await chain.reads.latest([
      { address: product.contracts.stock, abi: stockAbi, functionName: "stockBalance", args: [user, token] },
    ]);
    return [need("exchangeBalance", required, amountOf(results[0]))];
  },
};

type Send = (
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
) => Promise<SendAnswer>;

/** POST /stock/deposits/send. @throws ApiError VALIDATION_FAILED, TOKEN_NOT_SUPPORTED, TOO_MANY_DECIMALS, and as sendForUser */
export const sendStockDeposit: Send = (...call) => sendMovement(DEPOSIT, ...call);

/** POST /stock/withdrawals/send. @throws as sendStockDeposit */
export const sendStockWithdrawal: Send = (...call) => sendMovement(WITHDRAWAL, ...call);

function sendMovement(
  kind: Kind,
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const { operation, path, operationType } = kind;
  const incoming = { operation, method: "POST", path, args, idempotencyKey } as const;
  return sendForUser(deps, caller, incoming, async (ground) => {
    const { userAddress, tokenAddress, tokenAmount } = parseInput(shape, args);
    const gasLimit = readGasLimit(args);
    requireBoundUser(userAddress, ground.user);
    const amount = amountIn("tokenAmount", tokenAmount, WAD_DECIMALS, MAX_UINT256);
    const symbol = await readSymbol(deps, caller, tokenAddress);
    return {
      call: encode(kind, ground.product.contracts.stockRouter, tokenAddress, amount),
      gasLimit,
      needs: await kind.needs(ground, tokenAddress, amount),
      deadline: null,
      operationType,
      clientOrderId: null,
      operationKey: null,
      notional: null,
      symbol,
    };
  });
}

/** @throws ApiError TOKEN_NOT_SUPPORTED, INDEXER_BEHIND */
async function readSymbol(deps: Deps, { chainId, productType }: Caller, token: Hex): Promise<string> {
  const { data } = await readAtBlock(
    deps.prisma,
    chainId,
    Prisma.sql`SELECT symbol FROM onchain.stock_token
      WHERE chain_id = ${chainId} AND product_type = ${productType} AND token_address = ${token}`,
  );
  const row = z.object({ symbol: z.string() }).safeParse(data[0]);
  if (!row.success) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  return row.data.symbol;
}

function encode({ functionName }: Kind, router: Hex, token: Hex, amount: bigint): RouterCall {
  const callData = encodeFunctionData({ abi: stockRouterAbi, functionName, args: [token, amount] });
  return routerCall(router, functionName, callData, { stockToken: getAddress(token), amount: `${amount}` });
}

function need(check: Need["check"], required: bigint, actual: bigint): Need {
  return { check, required, actual, decimals: WAD_DECIMALS, fix: null };
}
