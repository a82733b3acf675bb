/** Program of a new project. */
export const EXAMPLE = `// @ts-check
// Lists symbols, builds the calldata of an order, and follows events until Ctrl-C.
import process from "node:process";
import { ApiError, PartnerTrading } from "partner-trading";

const { env } = process;
const trading = new PartnerTrading({
  baseUrl: env.PARTNER_TRADING_BASE_URL ?? "",
  apiKey: env.PARTNER_TRADING_API_KEY ?? "",
  apiSecret: env.PARTNER_TRADING_API_SECRET ?? "",
  chainId: Number(env.PARTNER_TRADING_CHAIN_ID),
  productType: env.PARTNER_TRADING_PRODUCT ?? "",
});

// 1. What can be traded, and at which price. Amounts are strings: a number would round them.
const symbols = await trading.symbols.list();
for (const { symbol, name, price } of symbols) console.log(\`\${symbol.padEnd(6)} \${price ?? "no price"}  \${name}\`);

// 2. The transaction of an order, for the user's wallet to sign. Nothing has happened yet.
const symbol = symbols.find(({ tradable }) => tradable)?.symbol ?? "AAPL";
const user = env.PARTNER_TRADING_USER;
try {
  const { toAddress, callData } = await trading.orders.calldata({
    symbol,
    side: "Buy",
    type: "Market",
    notional: "100",
    deadline: Math.floor(Date.now() / 1000) + 600,
    ...(user ? { userAddress: user } : {}),
  });
  console.log(\`\\nTo buy \${symbol} for 100, the wallet sends to \${toAddress}:\\n\${callData.slice(0, 66)}...\`);
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.log(\`\\nNo order: \${error.errCode}, \${error.message} (uuid \${error.uuid})\`);
}

// 3. What happens from now on. The stream connects again by itself, and leaves nothing out.
const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());
console.log("\\nEvents, until Ctrl-C:");
for await (const event of trading.events.stream({}, { signal: interrupted.signal })) {
  console.log(event.sequence, event.type, event.txHash ?? "");
}
`;
