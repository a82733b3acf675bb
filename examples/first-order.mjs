// Buys a stock for 100 mUSD in the sandbox, and waits until the order is filled.
// Start the sandbox with `npm start`, then run this in another terminal: node examples/first-order.mjs
import { createHmac, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
// Signs the transaction, as the user's wallet does; any other library will do.
import { createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const file = `${process.env.SANDBOX_DIR ?? ".sandbox"}/state.json`;
if (!existsSync(file)) {
  console.error(
    `There is no ${file}: start the sandbox with \`npm start\` in this directory, in another terminal.`,
  );
  process.exit(1);
}
const state = JSON.parse(readFileSync(file, "utf8"));
const key = state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress);
const user = state.users.find(({ address }) => address === key.userAddress);
const chain = state.chains.find(({ chainId }) => chainId === key.chainId);

async function call(method, path, { query = {}, body } = {}) {
  const search = new URLSearchParams(query);
  search.sort(); // What is signed is sorted by name, and sent exactly as it is signed.
  const uri = `/api/v1${path}${search.size > 0 ? `?${search}` : ""}`;
  const text = body ? JSON.stringify(body) : "";
  const ts = String(Date.now());
  const nonce = randomUUID();
  const payload = [method, uri, ts, nonce, text].join("\n");
  const response = await fetch(state.baseUrl + uri, {
    method,
    headers: {
      "x-api-key": key.apiKey,
      "x-api-ts": ts,
      "x-api-nonce": nonce,
      "x-api-chain-id": String(key.chainId),
      "x-api-p": key.productType,
      "x-api-sign": createHmac("sha256", key.apiSecret).update(payload).digest("hex"),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: text }),
  });
  return response.json();
}

function dataOf({ code, errCode, errMsg, data }) {
  if (code !== 200) throw new Error(`${code} ${errCode}: ${errMsg}`);
  return data;
}

// 1. Build the order. Nothing happens yet: the answer is the transaction for the user's wallet.
const order = {
  symbol: "AAPL",
  side: "Buy",
  type: "Market",
  notional: "100",
  deadline: Math.floor(Date.now() / 1000) + 600,
  userAddress: user.address,
};
const { toAddress, value, callData } = dataOf(await call("POST", "/orders/calldata", { body: order }));

// 2. Send it from the user's wallet, with some gas to spare.
const account = privateKeyToAccount(user.privateKey);
const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
const transaction = { to: toAddress, value: BigInt(value), data: callData };
const gas = 2n * (await wallet.estimateGas(transaction));
const hash = await wallet.sendTransaction({ ...transaction, gas, chain: null });
console.log(`sent ${hash}`);
await wallet.waitForTransactionReceipt({ hash });

// 3. Watch it by its transaction: TRANSACTION_NOT_FOUND, which is retryable, until that is indexed.
const ends = ["Filled", "Canceled", "Rejected", "Expired", "Failed"];
let placed;
do {
  await delay(500);
  const answer = await call("GET", `/orders/tx/${hash}`);
  placed = answer.retryable ? null : dataOf(answer);
} while (!ends.includes(placed?.status));
console.log(`order ${placed.orderId} is ${placed.status}`);
if (placed.status !== "Filled") process.exit(1);
for (const { quantity, price } of placed.historyOrder.fills) console.log(`bought ${quantity} at ${price}`);

// 4. Find it in the list of the user's latest orders.
const query = { userAddress: user.address, status: "Filled", limit: 5 };
const { rows, total } = dataOf(await call("GET", "/orders", { query }));
console.log(`it is number ${rows.findIndex(({ txHash }) => txHash === hash) + 1} of ${total} filled orders`);
