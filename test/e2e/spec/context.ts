import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Interface, JsonRpcProvider, NonceManager, Wallet } from "ethers";
import { z } from "zod";
import { createKey, type NewKey } from "../../../src/auth/keys-admin.ts";
import { loadDeployments } from "../../../src/config/deployments.ts";
import { createPool, prismaOn } from "../../../src/db/client.ts";
import { present, until } from "../../support/assert/until.ts";
import type {
  Calldata,
  Delegation,
  DelegationChange,
  DelegationPayload,
  OperationDetail,
  OperationList,
  Order,
  Send,
} from "../../support/http/answers.ts";
import { createControl } from "../../support/http/control.ts";
import { type Answer, createPartner, type Partner } from "../../support/http/partner.ts";
import { readSandboxState } from "../../support/sandbox/sandbox-state.ts";

export { present, until };

/** The fixtures of the cases: a user with a bound key, a key of another partner, and the sandbox's controls. */

const state = readSandboxState();
const traderKey = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const pick = (access: string, same: boolean) =>
  present(
    state.keys.find((key) => key.access === access && (key.chainId === traderKey.chainId) === same),
    `a ${access} key`,
  );

export const chain = present(
  state.chains.find(({ chainId }) => chainId === traderKey.chainId),
  "the trader's chain",
);
export const otherChain = present(
  state.chains.find(({ chainId }) => chainId !== traderKey.chainId),
  "another chain",
);
export const user = present(
  state.users.find(({ address }) => address.toLowerCase() === traderKey.userAddress?.toLowerCase()),
  "the bound user",
);
export const trader: Partner = createPartner(state.baseUrl, traderKey);
export const reader: Partner = createPartner(state.baseUrl, pick("READ_ONLY", true));
/** Another key, on the other chain. */
export const abroad: Partner = createPartner(state.baseUrl, pick("WRITABLE", false));
export const cash = present(
  chain.cashTokens.find(({ decimals }) => decimals === 6),
  "a cash token",
);
export const stock = present(chain.stockTokens[2], "a stock token");

const providers = [chain, otherChain].map(
  ({ rpcUrl, chainId }) => new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, pollingInterval: 50 }),
);
export const provider = present(providers[0], "a provider");
export const wallet = new NonceManager(new Wallet(user.privateKey, provider));
export const walletAbroad = new NonceManager(
  new Wallet(user.privateKey, present(providers[1], "a provider")),
);
export const signer = new Wallet(user.privateKey);
/** Somebody who has nothing and approved nobody. */
export const pauper = Wallet.createRandom().address;

export function release(): void {
  for (const one of providers) one.destroy();
}

export const erc20 = new Interface(["function approve(address spender, uint256 amount)"]);
export const router = new Interface([
  "function placeMarketOrder(address stockToken, int96 amount, uint32 deadline)",
  "function placeLimitOrder(address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline)",
]);
export const soon = () => Math.floor(Date.now() / 1000) + 3_600;
export const past = () => Math.floor(Date.now() / 1000) - 1;

let unboundOfChain: Promise<Partner> | null = null;
/** Returns a client of a key of the same chain that may write and has no bound user. */
export function stranger(): Promise<Partner> {
  unboundOfChain ??= partnerWith({ ips: ["127.0.0.1", "::1"] });
  return unboundOfChain;
}

/** The sandbox's directory. */
export const directory = dirname(present(process.env.E2E_STATE_FILE, "the sandbox's state file"));
export const { baseUrl } = state;

/** Creates a key of the trader's chain, like the operator's command. */
export async function partnerWith({
  inactive,
  ...options
}: Pick<NewKey, "ips" | "expiresAt"> & { inactive?: true }): Promise<Partner> {
  const { masterKeys } = z
    .object({ masterKeys: z.string() })
    .parse(JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8")));
  const [id = "", hex = ""] = masterKeys.split(":");
  const { chainId, productType } = chain;
  const pool = createPool(state.databaseUrl, { max: 1, connectTimeoutMs: 60_000 });
  const admin = {
    prisma: prismaOn(pool),
    deployments: loadDeployments(join(directory, "deployments.json"), {}),
    masterKeys: [{ id, key: Buffer.from(hex, "hex") }],
    now: Date.now,
    actor: "test",
  };
  try {
    const scopes = [{ chainId, productType }];
    const made = await createKey(admin, { name: "stranger", access: "WRITABLE", scopes, ...options });
    if (inactive) await pool.query("UPDATE app.api_key SET active = false WHERE api_key = $1", [made.apiKey]);
    return createPartner(state.baseUrl, { ...made, chainId, productType });
  } finally {
    await pool.end();
  }
}

const sandboxControl = createControl(state.controlUrl);
export const control = sandboxControl.post;

const { chainId } = chain;
export const creditBuffer = (amount: string) => control("/buffers", { chainId, creditBuffer: amount });
export const releaseBuffers = () => sandboxControl.releaseBuffers(reader, cash.address);
export const emptyWithdrawBuffer = () =>
  control("/buffers", { chainId, token: cash.address, withdrawBuffer: "0" });

/** Runs with the broker's hands in its pockets. */
export async function manually<T>(work: () => Promise<T>): Promise<T> {
  await control("/mode", { mode: "manual", chainId });
  try {
    return await work();
  } finally {
    await control("/mode", { mode: "auto", chainId });
  }
}

/** Sends a call from the user's wallet and waits until it is mined, whatever it came to. */
export async function submit(
  call: Pick<Calldata, "toAddress" | "callData">,
  from: NonceManager = wallet,
  gasLimit?: bigint,
): Promise<string> {
  const wanted = { to: call.toAddress, data: call.callData };
  // Twice the estimate: the broker may settle something of the same user before the block.
  const gas = gasLimit ?? 2n * (await from.estimateGas(wanted));
  const sent = await from.sendTransaction({ ...wanted, gasLimit: gas });
  await until(
    `${sent.hash} mined`,
    async () => (await from.provider?.getTransactionReceipt(sent.hash)) ?? undefined,
  );
  return sent.hash;
}

/** Returns the result of an eth_call of a call: "ok" or "reverted". */
export async function tried(call: Pick<Calldata, "toAddress" | "callData">, from: string): Promise<string> {
  return provider.call({ to: call.toAddress, data: call.callData, from }).then(
    () => "ok",
    () => "reverted",
  );
}

const ledger = new Interface([
  "function balanceWad(address) view returns (uint256)",
  "function stockBalance(address,address) view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
]);

/** Compares a balance of the user before and after the transaction's block: "up", "down" or "same". */
async function change(
  txHash: string,
  to: string,
  fragment: string,
  args: readonly string[],
): Promise<string> {
  const receipt = present(await provider.getTransactionReceipt(txHash), "a receipt");
  const callData = ledger.encodeFunctionData(fragment, args);
  const [before = 0n, after = 0n] = await Promise.all(
    [receipt.blockNumber - 1, receipt.blockNumber].map(async (blockTag) =>
      BigInt(await provider.call({ to, data: callData, blockTag })),
    ),
  );
  return after > before ? "up" : after < before ? "down" : "same";
}

export const mUsdBy = (txHash: string) =>
  change(txHash, chain.contracts.cashier, "balanceWad", [user.address]);
export const exchangeBy = (txHash: string) =>
  change(txHash, chain.contracts.stock, "stockBalance", [user.address, stock.address]);
export const walletBy = (txHash: string) => change(txHash, cash.address, "balanceOf", [user.address]);

export const approve = (token: string, amount: bigint) =>
  submit({
    toAddress: token,
    callData: erc20.encodeFunctionData("approve", [chain.contracts.stockRouter, amount]),
  });

export const marketBuy = () => ({
  stockAddress: stock.address,
  side: "Buy",
  type: "Market",
  notional: "20",
  deadline: soon(),
});
export const marketSell = () => ({
  stockAddress: stock.address,
  side: "Sell",
  type: "Market",
  quantity: "0.1",
  deadline: soon(),
});
export const limitBuy = () => ({
  stockAddress: stock.address,
  side: "Buy",
  type: "Limit",
  quantity: "3",
  price: "2",
  timeInForce: "DAY",
  deadline: soon(),
});
export const movement = (tokenAmount: string, tokenAddress = cash.address) => ({
  userAddress: user.address,
  tokenAddress,
  tokenAmount,
});

/** Returns the data of an answer, which must be a success. */
export const data = <T>(answer: Promise<Answer<T>>): Promise<T> => trader.must(answer);

export const orderWhen = (txHash: string, what: string, holds: (order: Order) => boolean) =>
  until(`order of ${txHash} ${what}`, async () => {
    const order = await data(trader.get<Order>(`/orders/tx/${txHash}`));
    return holds(order) ? { ...order, txHash: present(order.txHash, "its transaction") } : undefined;
  });

/** Places and records an order by the user's own wallet, and waits until it is seen. */
export async function place(
  order: Record<string, unknown>,
): Promise<Order & { orderId: string; txHash: string }> {
  const txHash = await submit(await data(trader.post<Calldata>("/orders/calldata", order)));
  await data(trader.post("/orders/tx", { txHash }));
  const seen = await orderWhen(txHash, "seen", ({ orderId }) => orderId !== null);
  return { ...seen, orderId: present(seen.orderId, "an order id") };
}

export type MovementPath = "/cash/deposits" | "/cash/withdrawals" | "/stock/deposits" | "/stock/withdrawals";

/** Moves cash or stock by the user's own wallet and records it; the operation once it is indexed. */
export async function move(
  path: MovementPath,
  input: ReturnType<typeof movement>,
): Promise<OperationDetail & { operationId: string; txHash: string }> {
  const txHash = await submit(await data(trader.post<Calldata>(`${path}/calldata`, input)));
  await data(trader.post(`${path}/tx`, { txHash }));
  const row = await until(`${path} of ${txHash} is indexed`, async () => {
    const { rows } = await data(trader.get<OperationList>(path, { txHash }));
    return rows.find(({ operationId }) => operationId !== null);
  });
  return { ...row, operationId: present(row.operationId, "an operation id"), txHash };
}

export const operationWhen = (path: string, operationId: string, status: string) =>
  until(`${path} ${operationId} ${status}`, async () => {
    const found = await data(trader.get<OperationDetail>(`${path}/${operationId}`));
    return found.operationStatus === status ? found : undefined;
  });

export const prepare = () =>
  data(trader.post<DelegationPayload>("/1ct/prepare", { userAddress: user.address, deadline: soon() }));

export async function signed(
  { nonce, deadline, signPayload }: DelegationPayload,
  by: Pick<Wallet, "signTypedData"> = signer,
) {
  const { domain, types, message } = signPayload;
  return { signature: await by.signTypedData(domain, types, message), deadline, nonce };
}

export async function enable(): Promise<Answer<DelegationChange>> {
  return trader.post<DelegationChange>("/1ct/enable", await signed(await prepare()));
}

/** Sends for the bound user, after enabling the delegation. */
export async function send(path: string, body: Record<string, unknown>): Promise<Answer<Send>> {
  const { status } = await data(trader.get<Delegation>("/1ct/status"));
  if (status !== "enable") await data(enable());
  return untilSent((options) => trader.post<Send>(path, body, options));
}

/** Repeats a call under one Idempotency-Key while it is no more than taken: a slow machine broadcasts later. */
export function untilSent(
  call: (options: { headers: Record<string, string> }) => Promise<Answer<Send>>,
): Promise<Answer<Send>> {
  const options = { headers: { "idempotency-key": randomUUID() } };
  return until("it is sent, or refused", async () => {
    const answer = await call(options);
    return answer.body.data?.status === "accepted" ? undefined : answer;
  });
}
