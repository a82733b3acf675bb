// A partner's test with Jest. npm install -D jest, and the packages partner-trading and partner-trading-sandbox (docs/SANDBOX.md);
// then npm test.
import { PartnerTrading } from "partner-trading";
import { startSandbox } from "partner-trading-sandbox";

const exchange = await startSandbox();

async function buy(trading) {
  const deadline = Math.floor(Date.now() / 1000) + 600;
  const order = { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline };
  return trading.orders.waitFor(await trading.orders.send(order), ["Filled"]);
}

test("an order is filled", async () => {
  const trading = new PartnerTrading(await exchange.user());
  const order = await buy(trading);
  expect(order.historyOrder.fills).toHaveLength(1);
});

test("a user sees their own orders alone", async () => {
  const user = await exchange.user();
  const trading = new PartnerTrading(user);
  const { orderId } = await buy(trading);
  const { rows } = await trading.orders.list();
  expect(rows.map((row) => row.orderId)).toEqual([orderId]);
});
