import { type Hex, parseEther, parseUnits } from "viem";
import { cashier, DAY, LATER, oneClick, router, stock, stockToken } from "../contracts/calls.ts";
import { wallet } from "../contracts/wallet-calls.ts";
import { present } from "../support/assert/until.ts";
import { delegate, support } from "./actions.ts";
import { act, type World } from "./world.ts";

/** Causes every event once, whatever the random state, so that no run lacks one of them. */
export async function tourOfEvents(world: World): Promise<void> {
  const { deployment, users, settler } = world.product;
  const user = present(users[0], "a user");
  const cash = present(deployment.cashTokens[0], "a cash token");
  const token = present(deployment.stockTokens[0], "a stock token").address;
  const mine = (data: Hex) => act(world, user, deployment.stockRouter, data);
  const desk = (data: Hex) => act(world, settler, deployment.cashier, data);
  const broker = (data: Hex) => act(world, settler, deployment.stock, data);
  const amount = parseUnits("500", cash.decimals);
  const wad = parseEther;
  const last = (ids: Iterable<Hex>) => present([...ids].at(-1), "an id");
  const limit = async () => {
    await mine(router("placeLimitOrder", token, wad("1"), wad("100"), DAY, LATER));
    return [last(world.facts.orders.keys())];
  };

  await desk(cashier("unsupportToken", cash.address));
  await support(world, cash.address);
  await desk(cashier("setCreditBuffer", wad("50000000"), wad("100000000")));
  await broker(stock("setFeeConfig", { buyFeeBps: 10, sellFeeBps: 10, minFeeWad: wad("0.01") }));
  await broker(stock("setTradable", token, true));
  await act(world, settler, token, stockToken("setMultiplier", wad("2")));

  await mine(router("deposit", cash.address, amount));
  await mine(router("withdraw", cash.address, wad("100")));
  await mine(router("depositStock", token, wad("9")));
  await mine(router("withdrawStock", token, wad("1")));
  await mine(router("depositAndMarketBuy", cash.address, amount, token, wad("90"), LATER));
  await broker(stock("settleMarketOrders", [last(world.facts.orders.keys())], [wad("100")]));
  await mine(router("depositAndLimitBuy", cash.address, amount, token, wad("1"), wad("100"), DAY, LATER));
  await mine(router("depositStockAndMarketSell", token, wad("1"), -wad("1"), LATER));
  await mine(router("depositStockAndLimitSell", token, wad("1"), -wad("1"), wad("100"), DAY, LATER));

  // Equal deposits in one transaction: the last one pays for the order.
  const calls = [
    router("depositStock", token, wad("1")),
    router("depositStock", token, wad("1")),
    router("depositStockAndMarketSell", token, wad("1"), -wad("1"), LATER),
  ].map((data) => ({ target: deployment.stockRouter, value: 0n, data }));
  await act(world, world.smart.owner, world.smart.address, wallet("executeBatch", calls));

  const canceled = await limit();
  await broker(stock("settleLimitOrders", canceled, [wad("0.5")], [wad("100")]));
  await mine(router("cancelLimitOrder", last(canceled)));
  await broker(stock("settleCancels", canceled));
  await broker(stock("rejectOrders", await limit(), 7));
  await broker(stock("expireOrders", await limit()));

  await desk(cashier("setWithdrawBuffer", cash.address, 0n, 0n));
  await mine(router("deposit", cash.address, amount));
  await desk(cashier("setTokenLimits", cash.address, 1_000_000, 1_010_000));
  await desk(cashier("batchSettleDeposit", [last(world.facts.deposits)], [wad("499")]));
  await mine(router("deposit", cash.address, amount));
  await desk(cashier("batchRejectDeposit", [last(world.facts.deposits)], 3));
  await mine(router("withdraw", cash.address, wad("100")));
  await desk(
    cashier("batchSettleWithdraw", [last(world.facts.withdrawals)], [parseUnits("99", cash.decimals)]),
  );
  await desk(cashier("setTokenLimits", cash.address, 1_000_000, 990_000));
  await mine(router("withdraw", cash.address, wad("100")));
  await desk(cashier("batchRejectWithdraw", [last(world.facts.withdrawals)], 4));

  await delegate(world);
  await act(world, user, deployment.oneClickRouter, oneClick("undelegate"));
}
