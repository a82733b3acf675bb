import type { Address, Hex } from "viem";
import {
  cashierAbi,
  cashTokenAbi,
  oneClickRouterAbi,
  stockAbi,
  stockTokenAbi,
} from "../../src/contracts/abi/index.ts";
import type { Product } from "../support/chain/product.ts";

// State of the contracts in the terms of the tables: numbers as decimal strings, as PostgreSQL returns them.

const STATUSES = ["none", "open", "canceling", "filled", "canceled", "rejected", "expired"];

export function contractState({ client, deployment }: Product) {
  const { cashTokens, stockTokens } = deployment;
  const cashier = { address: deployment.cashier, abi: cashierAbi } as const;
  const stock = { address: deployment.stock, abi: stockAbi } as const;
  const oneClick = { address: deployment.oneClickRouter, abi: oneClickRouterAbi } as const;

  return {
    async cash(user: Address, blockNumber?: bigint) {
      const args = [user] as const;
      const at = blockNumber === undefined ? {} : { blockNumber };
      const available = await client.readContract({ ...cashier, functionName: "balanceWad", args, ...at });
      const locked = await client.readContract({ ...cashier, functionName: "lockedWad", args, ...at });
      return { available: `${available}`, locked: `${locked}` };
    },
    async stock(user: Address, token: Address, blockNumber?: bigint) {
      const args = [user, token] as const;
      const at = blockNumber === undefined ? {} : { blockNumber };
      const available = await client.readContract({ ...stock, functionName: "stockBalance", args, ...at });
      const locked = await client.readContract({ ...stock, functionName: "lockedStock", args, ...at });
      return { available: `${available}`, locked: `${locked}` };
    },
    async order(orderId: Hex) {
      const order = await client.readContract({ ...stock, functionName: "getOrder", args: [orderId] });
      const isMarketBuy = order.isBuy && !order.isLimit;
      return {
        user_address: order.user.toLowerCase(),
        stock_address: order.stockToken.toLowerCase(),
        side: order.isBuy ? "Buy" : "Sell",
        order_type: order.isLimit ? "Limit" : "Market",
        notional: isMarketBuy ? `${order.size}` : null,
        quantity: isMarketBuy ? null : `${order.size}`,
        price: order.isLimit ? `${order.price}` : null,
        time_in_force: order.isLimit ? order.tif : null,
        deadline: `${order.deadline}`,
        locked_remaining: `${order.lockedAmount}`,
        status: STATUSES[order.status],
        filled_quantity: `${order.filledQuantity}`,
        filled_notional: `${order.filledNotionalWad}`,
        fee: `${order.feeChargedWad}`,
      };
    },
    async isClosed(opId: Hex) {
      const { closed } = await client.readContract({
        ...cashier,
        functionName: "getOperation",
        args: [opId],
      });
      return closed;
    },
    async pending(user: Address, token: Address) {
      const args = [user, token] as const;
      const [deposits, withdrawals] = await client.readContract({
        ...cashier,
        functionName: "pending",
        args,
      });
      return { deposits, withdrawals };
    },
    async cashTokens() {
      const supported = await client.readContract({ ...cashier, functionName: "getSupportedTokenList" });
      const listed = supported.map((token) => token.toLowerCase());
      const tokens = cashTokens.map(async ({ address }) => {
        const args = [address] as const;
        const config = await client.readContract({ ...cashier, functionName: "tokenConfig", args });
        const decimals = await client.readContract({ address, abi: cashTokenAbi, functionName: "decimals" });
        return {
          token_address: address,
          supported: listed.includes(address),
          decimals,
          min_amount: `${config[0]}`,
          deposit_paused: config[2],
          withdraw_paused: config[3],
          usd_rate: `${config[4]}`,
          withdraw_buffer: `${config[5]}`,
          withdraw_buffer_capacity: `${config[6]}`,
          deposit_fee_bps: config[7],
          withdraw_fee_bps: config[8],
        };
      });
      return Promise.all(tokens);
    },
    async buffers() {
      const buffer = await client.readContract({ ...cashier, functionName: "creditBufferWad" });
      const capacity = await client.readContract({ ...cashier, functionName: "creditBufferWadCapacity" });
      return { credit_buffer: `${buffer}`, credit_buffer_capacity: `${capacity}` };
    },
    async fees() {
      const [buy, sell, least] = await client.readContract({ ...stock, functionName: "feeConfig" });
      return { buy_fee_bps: buy, sell_fee_bps: sell, min_fee_wad: `${least}` };
    },
    async stockTokens() {
      const tokens = stockTokens.map(async ({ address, stockSymbol }) => {
        const args = [address] as const;
        const tradable = await client.readContract({ ...stock, functionName: "isTradable", args });
        const at = { address, abi: stockTokenAbi } as const;
        const multiplier = await client.readContract({ ...at, functionName: "multiplier" });
        return { token_address: address, symbol: stockSymbol, tradable, multiplier: `${multiplier}` };
      });
      return Promise.all(tokens);
    },
    async delegation(user: Address) {
      const args = [user] as const;
      const delegatee = await client.readContract({ ...oneClick, functionName: "delegateeOf", args });
      const nonce = await client.readContract({ ...oneClick, functionName: "nonceOf", args });
      return { delegatee: /^0x0+$/.test(delegatee) ? null : delegatee.toLowerCase(), nonce: `${nonce}` };
    },
  };
}
