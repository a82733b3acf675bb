import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import { createWalletClient, type Hex, http, type TypedDataDefinition } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { sandboxAccounts } from "../../packages/sandbox/src/accounts.ts";
import { delegateBoundUsers } from "../../packages/sandbox/src/delegate.ts";
import { canary } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import type {
  Delegation,
  DelegationChange,
  DelegationPayload,
  Order,
  OrderList,
  Send,
} from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { type Answer, createPartner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** docs/api.md#one-click and every /send endpoint, as a partner meets them; the user signs with plain ethers. */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const unbound = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && !userAddress),
  "an unbound key",
);
const partner = createPartner(state.baseUrl, key);
const stranger = createPartner(state.baseUrl, unbound);
const control = createControl(state.controlUrl);
const user = present(
  state.users.find(({ address }) => address.toLowerCase() === key.userAddress?.toLowerCase()),
  "the bound user",
);
const chain = present(
  state.chains.find(({ chainId }) => chainId === key.chainId),
  "its chain",
);
const wallet = new Wallet(
  user.privateKey,
  new JsonRpcProvider(chain.rpcUrl, chain.chainId, { staticNetwork: true }),
);
const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;
const stock = present(chain.stockTokens[0], "a stock token");
const cash = present(chain.cashTokens[0], "a cash token");

async function prepare(deadline = inAnHour()): Promise<DelegationPayload> {
  return partner.must(
    partner.post<DelegationPayload>("/1ct/prepare", { userAddress: user.address, deadline }),
  );
}

async function sign(
  { signPayload }: DelegationPayload,
  signer: Pick<Wallet, "signTypedData"> = wallet,
): Promise<string> {
  const { domain, types, message } = signPayload;
  return canary("user's signature", await signer.signTypedData(domain, types, message));
}

async function enable(): Promise<string> {
  const payload = await prepare();
  const signature = await sign(payload);
  const { status } = await partner.must(
    partner.post<DelegationChange>("/1ct/enable", {
      signature,
      deadline: payload.deadline,
      nonce: payload.nonce,
    }),
  );
  return status;
}

const send = (path: string, body: Record<string, unknown>, idempotencyKey?: string): Promise<Answer<Send>> =>
  partner.post<Send>(path, body, idempotencyKey ? { headers: { "idempotency-key": idempotencyKey } } : {});

type Call = [path: string, body: Record<string, unknown>, idempotencyKey: string];

/** Repeats a call under its key until its answer is of a kind: how a partner learns the outcome. */
const repeat = (what: string, isIt: (reply: Send) => boolean, ...call: Call): Promise<Send> =>
  until(`${call[0]} is ${what}`, async () => {
    const reply = await partner.must(send(...call));
    return isIt(reply) && reply;
  });

/** Returns the final answers to some calls. */
async function outcomes(calls: readonly Call[]): Promise<Send[]> {
  const isMined = ({ status }: Send) => status === "confirmed" || status === "failed";
  await Promise.all(calls.map((call) => repeat("mined", isMined, ...call)));
  await control.finalize(chain.chainId);
  return Promise.all(calls.map((call) => repeat("final", ({ final }) => final, ...call)));
}

const outcome = async (...call: Call) => present((await outcomes([call]))[0], "an outcome");

const order = () => ({
  stockAddress: stock.address,
  side: "Buy",
  type: "Market",
  notional: "25",
  deadline: inAnHour(),
});

it("refuses to send before delegation is enabled, and a key that is bound to nobody", async () => {
  await partner.must(partner.post("/1ct/disable", {}));
  const { body } = await send("/orders/send", order());
  expect(body).toMatchObject({ code: 10002, errCode: "DELEGATION_NOT_ENABLED" });
  for (const [method, path] of [
    ["post", "/orders/send"],
    ["get", "/1ct/status"],
  ] as const) {
    const answer = method === "get" ? await stranger.get(path) : await stranger.post(path, order());
    expect({ method, path, body: answer.body }).toMatchObject({
      method,
      path,
      body: { code: 10002, errCode: "USER_NOT_BOUND" },
    });
  }
});

it("refuses a wrong signer, a used nonce and an expired deadline, each by its name", async () => {
  const payload = await prepare();
  expect(payload.signPayload.message.user).toBe(user.address);
  const { deadline, nonce } = payload;
  const wrong = await partner.post("/1ct/enable", {
    signature: await sign(payload, Wallet.createRandom()),
    deadline,
    nonce,
  });
  expect(wrong.body).toMatchObject({ code: 10002, errCode: "SIGNER_MISMATCH" });
  const past = Math.floor(Date.now() / 1000) - 1;
  const expired = await partner.post("/1ct/prepare", { userAddress: user.address, deadline: past });
  expect(expired.body).toMatchObject({
    code: 10000,
    errCode: "DEADLINE_EXPIRED",
    errMsg: "deadline expired",
  });
  const late = await partner.post("/1ct/enable", { signature: await sign(payload), deadline: past, nonce });
  expect(late.body).toMatchObject({ errCode: "DEADLINE_EXPIRED" });
  expect(await enable()).toBe("enable");
  await partner.must(partner.post("/1ct/disable", {}));
  await until("the undelegation is mined", async () => {
    const { nonce: now } = await partner.must(partner.get<Delegation>("/1ct/status"));
    return now > nonce + 1 || undefined;
  });
  const used = await partner.post("/1ct/enable", { signature: await sign(payload), deadline, nonce });
  expect(used.body).toMatchObject({ code: 10002, errCode: "DELEGATION_NONCE_USED" });
});

const account = privateKeyToAccount(user.privateKey as Hex);
const viemWallet = createWalletClient({ account, transport: http(chain.rpcUrl) });

it.each<[string, (prepared: DelegationPayload) => Promise<string>]>([
  ["signPayload, signed by ethers", (prepared) => sign(prepared)],
  [
    "signPayload, signed by an account of viem",
    ({ signPayload }) => account.signTypedData(signPayload as TypedDataDefinition),
  ],
  [
    "signPayload, signed by a wallet client of viem",
    ({ signPayload }) => viemWallet.signTypedData(signPayload as TypedDataDefinition),
  ],
  [
    "typedData, signed by eth_signTypedData_v4 of a node that holds the key",
    ({ typedData }) =>
      viemWallet.request({
        method: "eth_signTypedData_v4",
        params: [user.address as Hex, JSON.stringify(typedData)],
      }),
  ],
])("enables by %s", async (_what, signed) => {
  const before = await partner.must(partner.get<Delegation>("/1ct/status"));
  await partner.must(partner.post("/1ct/disable", {}));
  await until("the undelegation is mined", async () => {
    const { nonce } = await partner.must(partner.get<Delegation>("/1ct/status"));
    return before.status !== "enable" || nonce > before.nonce || undefined;
  });
  const prepared = await prepare();
  const { deadline, nonce } = prepared;
  const body = { signature: canary("user's signature", await signed(prepared)), deadline, nonce };
  expect(await partner.must(partner.post("/1ct/enable", body))).toMatchObject({ status: "enable" });
  expect(await partner.must(partner.get("/1ct/status"))).toMatchObject({ status: "enable" });
});

it("enables, and the same signature again answers as success", async () => {
  const payload = await prepare();
  const body = { signature: await sign(payload), deadline: payload.deadline, nonce: payload.nonce };
  expect(await partner.must(partner.post("/1ct/enable", body))).toMatchObject({ status: "enable" });
  expect(await partner.must(partner.post("/1ct/enable", body))).toMatchObject({ status: "enable" });
  expect(await partner.must(partner.get("/1ct/status"))).toMatchObject({
    status: "enable",
    userAddress: user.address,
  });
});

it("sends an order once under an Idempotency-Key, whatever the number of calls", async () => {
  const idempotencyKey = randomUUID();
  const body = { ...order(), clientOrderId: `c-${idempotencyKey}` };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => send("/orders/send", body, idempotencyKey)),
  );
  const replies = await Promise.all(answers.map((answer) => partner.must(Promise.resolve(answer))));
  expect(new Set(replies.map(({ requestId }) => requestId)).size).toBe(1);
  const final = await outcome("/orders/send", body, idempotencyKey);
  expect(final).toMatchObject({ status: "confirmed", mapping: { operationType: "trade", source: "send" } });
  const { rows } = await partner.must(partner.get<OrderList>("/orders", { limit: 100 }));
  expect(rows.filter(({ mapping }) => mapping.clientOrderId === body.clientOrderId)).toHaveLength(1);
  const isPlaced = async () => {
    const { status } = await partner.must(partner.get<Order>(`/orders/tx/${final.txHash}`));
    return ["Pending", "Filled"].includes(status);
  };
  await until("its order is placed", isPlaced);

  const other = await send("/orders/send", { ...body, notional: "26" }, idempotencyKey);
  expect(other.body).toMatchObject({ code: 10002, errCode: "IDEMPOTENCY_KEY_REUSED" });
  const again = await send("/orders/send", body, randomUUID());
  expect(again.body).toMatchObject({ code: 10002, errCode: "CLIENT_ORDER_ID_REUSED" });
});

it("places a limit order and cancels it, both by sending", async () => {
  const idempotencyKey = randomUUID();
  const limit = {
    stockAddress: stock.address,
    side: "Buy",
    type: "Limit",
    timeInForce: "DAY",
    quantity: "1",
    price: "1.5",
    deadline: inAnHour(),
  };
  const placed = await outcome("/orders/send", limit, idempotencyKey);
  const orderId = await until("its order id", async () => {
    const { mapping } = await partner.must(send("/orders/send", limit, idempotencyKey));
    return present(mapping, "a mapping").orderId ?? undefined;
  });
  expect(placed.status).toBe("confirmed");
  const canceled = await partner.must(partner.delete<Send>(`/orders/${orderId}/send`));
  expect(canceled.mapping?.orderId).toBe(orderId);
  await until("it is canceled", async () => {
    const { status } = await partner.must(partner.get<Order>(`/orders/${orderId}`));
    return status === "Canceled" || undefined;
  });
  expect((await partner.delete(`/orders/${orderId}/send`)).body).toMatchObject({
    errCode: "ORDER_NOT_CANCELABLE",
  });
  expect((await partner.delete(`/orders/0x${"12".repeat(32)}/send`)).body).toMatchObject({
    errCode: "ORDER_NOT_FOUND",
  });
});

const SENDS: [string, Record<string, unknown>, string][] = [
  ["/cash/deposits/send", { tokenAddress: cash.address, tokenAmount: "12.5" }, "deposit"],
  ["/cash/withdrawals/send", { tokenAddress: cash.address, tokenAmount: "3.25" }, "withdraw"],
  ["/stock/deposits/send", { tokenAddress: stock.address, tokenAmount: "1.5" }, "stock-deposit"],
  ["/stock/withdrawals/send", { tokenAddress: stock.address, tokenAmount: "0.5" }, "stock-withdraw"],
  [
    "/orders/with-deposit/send",
    {
      stockAddress: stock.address,
      side: "Buy",
      type: "Market",
      notional: "5",
      deadline: inAnHour(),
      tokenAddress: cash.address,
      tokenAmount: "6",
    },
    "trade",
  ],
  [
    "/orders/with-deposit/send",
    { stockAddress: stock.address, side: "Sell", type: "Market", quantity: "0.25", deadline: inAnHour() },
    "trade",
  ],
  [
    "/orders/with-deposit/send",
    {
      stockAddress: stock.address,
      side: "Buy",
      type: "Limit",
      timeInForce: "DAY",
      quantity: "1",
      price: "2",
      deadline: inAnHour(),
      tokenAddress: cash.address,
      tokenAmount: "6",
    },
    "trade",
  ],
  [
    "/orders/with-deposit/send",
    {
      stockAddress: stock.address,
      side: "Sell",
      type: "Limit",
      timeInForce: "DAY",
      quantity: "0.1",
      price: "99999",
      deadline: inAnHour(),
    },
    "trade",
  ],
  [
    "/orders/send",
    { stockAddress: stock.address, side: "Sell", type: "Market", quantity: "0.05", deadline: inAnHour() },
    "trade",
  ],
];

it("mines what every send endpoint sends, at the same time", async () => {
  const finals = await outcomes(
    SENDS.map(([path, body]) => [path, { ...body, userAddress: user.address }, randomUUID()]),
  );
  for (const [index, [, , operationType]] of SENDS.entries()) {
    expect(finals[index]).toMatchObject({
      status: "confirmed",
      errCode: null,
      mapping: { operationType, source: "send" },
    });
  }
});

it.each<[string, string, Record<string, unknown>, string]>([
  ["more mUSD than there is", "/orders/send", { ...order(), notional: "99999999" }, "BALANCE_INSUFFICIENT"],
  ["another user", "/orders/send", { ...order(), userAddress: `0x${"11".repeat(20)}` }, "VALIDATION_FAILED"],
  ["too little gas", "/orders/send", { ...order(), gasLimit: 149_999 }, "VALIDATION_FAILED"],
  ["too much gas", "/orders/send", { ...order(), gasLimit: "99999999999" }, "VALIDATION_FAILED"],
  ["gas that is no integer", "/orders/send", { ...order(), gasLimit: "1.5" }, "VALIDATION_FAILED"],
  ["a past deadline", "/orders/send", { ...order(), deadline: 1_700_000_000 }, "DEADLINE_EXPIRED"],
  [
    "more tokens than there are",
    "/cash/deposits/send",
    { tokenAddress: cash.address, tokenAmount: "999999999" },
    "BALANCE_INSUFFICIENT",
  ],
  [
    "more fraction digits than the token has",
    "/cash/withdrawals/send",
    { tokenAddress: cash.address, tokenAmount: "1.12345678901" },
    "TOO_MANY_DECIMALS",
  ],
  [
    "a token that is not traded",
    "/stock/deposits/send",
    { tokenAddress: cash.address, tokenAmount: "1" },
    "TOKEN_NOT_SUPPORTED",
  ],
  ["a combined buy without a token", "/orders/with-deposit/send", order(), "VALIDATION_FAILED"],
])(
  "refuses %s before anything is sent, and leaves the Idempotency-Key free",
  async (_what, path, body, errCode) => {
    const idempotencyKey = randomUUID();
    expect((await send(path, body, idempotencyKey)).body).toMatchObject({ data: null, errCode });
    const free = await send("/orders/send", order(), idempotencyKey);
    expect(free.body).toMatchObject({ code: 200, errMsg: "" });
  },
);

it("disable blocks sending at once", async () => {
  expect(await partner.must(partner.post("/1ct/disable", {}))).toMatchObject({ status: "disabled" });
  expect((await send("/orders/send", order())).body).toMatchObject({ errCode: "DELEGATION_NOT_ENABLED" });
  expect(await partner.must(partner.get("/1ct/status"))).toMatchObject({ status: "disabled" });
  expect(await enable()).toBe("enable");
  expect((await send("/orders/send", order())).body).toMatchObject({ code: 200, errMsg: "" });
});

it("a sandbox that starts enables what was disabled by hand, and leaves what is enabled", async () => {
  const start = () => delegateBoundUsers(state, sandboxAccounts().users);
  expect(await partner.must(partner.post("/1ct/disable", {}))).toMatchObject({ status: "disabled" });
  await start();
  const { status, nonce } = await partner.must(partner.get<Delegation>("/1ct/status"));
  expect(status).toBe("enable");
  await start();
  expect(await partner.must(partner.get("/1ct/status"))).toMatchObject({ status: "enable", nonce });
});

it("a switch is armed and disarmed, and a body that names no time leaves it as it is", async () => {
  const armed = await partner.must(
    partner.post<{ seconds: number | null }>("/orders/cancel-after", { seconds: 600 }),
  );
  expect(armed.seconds).toBe(600);
  for (const body of [{}, { second: null }]) {
    const { status, body: refusal } = await partner.post("/orders/cancel-after", body);
    expect({ status, errCode: refusal.errCode, param: refusal.param }).toEqual({
      status: 400,
      errCode: "VALIDATION_FAILED",
      param: "second" in body ? "second" : "seconds",
    });
  }
  const key = await partner.must(partner.get<{ cancelAfter: { seconds: number | null } | null }>("/key"));
  expect(key.cancelAfter).toMatchObject({ seconds: 600 });
  const disarmed = await partner.must(
    partner.post<{ cancelAt: number | null }>("/orders/cancel-after", { seconds: null }),
  );
  expect(disarmed.cancelAt).toBe(null);
});
