import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { JsonRpcProvider, NonceManager, Wallet } from "ethers";
import { ENDPOINTS, STREAMS } from "../../src/api/endpoints.ts";
import { present, until } from "../support/assert/until.ts";
import type { Balance, Calldata, Delegation, DelegationPayload, Mapped } from "../support/http/answers.ts";
import { type Bend, createPartner, type Partner } from "../support/http/partner.ts";
import type { Foreign, MovementKind } from "../support/http/scope-cases.ts";
import {
  callRoute,
  expectNothingForeign,
  filledRoutes,
  nameOf,
  SCOPE_ROUTES,
} from "../support/http/scope-matrix.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { submitCall } from "../support/sender/submit.ts";

/**
 * Whose data is whose, on every route: another key's orders and operations are not found, nor those of another chain; a
 * READ_ONLY key writes nothing; a wrong chain or product is a 401. A new route without an entry fails here.
 */

const state = readSandboxState();
const [elsewhere, chain] = [present(state.chains[0], "a chain"), present(state.chains[1], "a second chain")];
const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
  staticNetwork: true,
  pollingInterval: 50,
});
const user = present(state.users[3], "a fourth user");
const wallet = new NonceManager(new Wallet(user.privateKey, provider));
const [stock, cash] = [
  present(chain.stockTokens[3], "a stock"),
  present(chain.cashTokens[1], "a cash token"),
];

let owner: Partner;
let anotherKey: Partner;
let anotherScope: Partner;
let reader: Partner;
let foreign: Foreign;

beforeAll(async () => {
  const make = async (...args: Parameters<typeof makeSandboxKey>) =>
    createPartner(state.baseUrl, await makeSandboxKey(...args));
  owner = await make(chain);
  anotherKey = await make(chain);
  anotherScope = await make(elsewhere);
  reader = await make(chain, { access: "READ_ONLY" });
  foreign = await makeForeign();
});

afterAll(() => provider.destroy());

/** Creates one object of each kind, made by `owner` for the user. */
async function makeForeign(): Promise<Foreign> {
  const order = { stockAddress: stock.address, side: "Buy", type: "Limit", quantity: "5", price: "1" };
  const deadline = Math.floor(Date.now() / 1000) + 3600;
  const placed = await make("/orders", "/orders/calldata", { ...order, timeInForce: "DAY", deadline });
  const move = (kind: MovementKind, tokenAddress: string) =>
    make(`/${kind}`, `/${kind}/calldata`, { tokenAddress, tokenAmount: "1" });
  return {
    orderId: placed.id,
    orderTx: placed.txHash,
    operations: {
      "cash/deposits": withId(await move("cash/deposits", cash.address)),
      "cash/withdrawals": withId(await move("cash/withdrawals", cash.address)),
      "stock/deposits": withId(await move("stock/deposits", stock.address)),
      "stock/withdrawals": withId(await move("stock/withdrawals", stock.address)),
    },
    user: user.address,
    tokens: { stock: stock.address, cash: cash.address },
    webhookId: await makeWebhook(),
    // The sandbox's chains are deployed alike: their tokens have the same addresses.
    tokensListed: true,
  };
}

async function makeWebhook(): Promise<string> {
  const url = "http://127.0.0.1:9999/scope";
  const { webhook } = await owner.must(
    owner.post<{ webhook: { webhookId: string } }>("/webhooks", { url, types: "webhook.disabled" }),
  );
  return webhook.webhookId;
}

const withId = ({ id, txHash }: { id: string; txHash: string }) => ({ operationId: id, txHash });

async function make(list: string, path: string, body: Record<string, unknown>) {
  const call = await owner.must(owner.post<Calldata>(path, { ...body, userAddress: user.address }));
  const txHash = await submitCall(wallet, call);
  const id = await until(`${txHash} in ${list}`, async () => {
    const { rows } = await owner.must(owner.get<{ rows: Mapped[] }>(list, { txHash }));
    return rows[0]?.mapping.orderId ?? rows[0]?.mapping.operationId ?? undefined;
  });
  return { id, txHash };
}

it("has an entry for every route, and for no other", () => {
  expect([...SCOPE_ROUTES].sort()).toEqual([...ENDPOINTS, ...STREAMS].map(nameOf).sort());
});

it.each(SCOPE_ROUTES)("another key's orders and operations are not there: %s", (route) =>
  expectNothingForeign(anotherKey, route, foreign, "another key"),
);

it.each(SCOPE_ROUTES)("another chain's orders, operations and transactions are not there: %s", (route) =>
  expectNothingForeign(anotherScope, route, foreign, "another chain"),
);

it("what was asked of by others is the owner's all the same", async () => {
  const { orderId, orderTx, operations } = foreign;
  const paths = [
    `/orders/${orderId}`,
    `/orders/tx/${orderTx}`,
    ...Object.entries(operations).map(([kind, { operationId }]) => `/${kind}/${operationId}`),
  ];
  for (const path of paths) {
    expect({
      path,
      mappingStatus: (await owner.must(owner.get<Mapped>(path))).mapping.mappingStatus,
    }).toEqual({ path, mappingStatus: "indexed" });
  }
});

it("another chain's transaction is recorded for nobody, and the refusal names that chain", async () => {
  const { body } = await anotherScope.post("/orders/tx", { txHash: foreign.orderTx });
  expect(body).toMatchObject({
    errCode: "TRANSACTION_NOT_FOUND",
    errMsg: expect.stringContaining(`is on chain ${chain.chainId}`),
  });
  const { errCode } = (await anotherScope.get(`/orders/tx/${foreign.orderTx}`)).body;
  expect(errCode).toBe("TRANSACTION_NOT_FOUND");
  expect((await anotherScope.get(`/orders/${foreign.orderId}`)).body.errCode).toBe("ORDER_NOT_FOUND");
});

it("a balance is that of the asked chain", async () => {
  const read = (partner: Partner) => partner.must(partner.get<Balance>(`/users/${user.address}/balance`));
  expect(await read(anotherKey)).toMatchObject({ chainId: chain.chainId });
  expect(Number((await read(anotherKey)).mUsdLocked)).toBeGreaterThan(0);
  expect(await read(anotherScope)).toMatchObject({ chainId: elsewhere.chainId });
});

describe("a delegation is of one chain", () => {
  it("what was signed for one is no signature on another, nor is its state told there", async () => {
    const bound = { userAddress: user.address };
    const [here, there] = (await Promise.all(
      [chain, elsewhere].map(async (scope) =>
        createPartner(state.baseUrl, await makeSandboxKey(scope, bound)),
      ),
    )) as [Partner, Partner];
    const deadline = Math.floor(Date.now() / 1000) + 600;
    const payload = await here.must(here.post<DelegationPayload>("/1ct/prepare", { ...bound, deadline }));
    const { domain, types, message } = payload.signPayload;
    const signature = await new Wallet(user.privateKey).signTypedData(domain, types, message);
    const body = { signature, deadline: payload.deadline, nonce: payload.nonce };
    expect((await there.post("/1ct/enable", body)).body.errCode).toBe("SIGNER_MISMATCH");
    expect(await here.must(here.post("/1ct/enable", body))).toMatchObject({ status: "enable" });
    const status = (of: Partner) => of.must(of.get<Delegation>("/1ct/status"));
    expect((await status(here)).status).toBe("enable");
    expect((await status(there)).status).toBe("disabled");
    await here.must(here.post("/1ct/disable", {}));
  });
});

const UNAUTHORIZED = { code: 401, errMsg: "Unauthorized", data: null };

async function expectUnauthorized(partner: Partner, method: string, path: string): Promise<void> {
  const { status, body } = await callRoute(partner, method, {
    path,
    ...(method === "POST" ? { body: {} } : {}),
  });
  const { uuid: _uuid, t: _t, ...rest } = body;
  expect({ status, ...rest }).toEqual({ status: 400, ...UNAUTHORIZED });
}

describe("a READ_ONLY key", () => {
  it.each(filledRoutes.filter(({ method }) => method !== "GET"))("is refused: $name", ({ method, path }) =>
    expectUnauthorized(reader, method, path),
  );

  it.each(filledRoutes.filter(({ method }) => method === "GET"))("may read: $name", async ({ path }) => {
    const { body } = await reader.get(path);
    expect(body).not.toMatchObject({ code: 401 });
  });

  const mutations = ENDPOINTS.flatMap(({ field }) => field.match(/^Mutation\.(.*)$/)?.[1] ?? []);
  it.each(mutations)("writes nothing over GraphQL either, where nobody does: %s", async (field) => {
    const post = (headers: Record<string, string>) =>
      fetch(state.graphqlUrl, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ query: `mutation { ${field} { __typename } }` }),
      });
    expect((await post({ "x-api-key": reader.key.apiKey })).status).toBeGreaterThanOrEqual(400);
    const dashboard = await post({ authorization: `Bearer ${state.dashboardToken}` });
    const answer = (await dashboard.json()) as { data?: unknown; errors: { extensions: unknown }[] };
    expect(answer.data ?? null).toBeNull();
    expect(answer.errors[0]?.extensions).toMatchObject({ errCode: "VALIDATION_FAILED" });
  });
});

describe("a wrong scope in the headers", () => {
  const wrong: [string, Bend][] = [
    ["another chain", { headers: { "x-api-chain-id": String(elsewhere.chainId) } }],
    ["a chain that nobody serves", { headers: { "x-api-chain-id": "1" } }],
    ["the product in another case", { headers: { "x-api-p": chain.productType.toUpperCase() } }],
    ["the product in lower case", { headers: { "x-api-p": chain.productType.toLowerCase() } }],
  ];
  it.each(filledRoutes)("is the same 401: $name", async ({ method, path }) => {
    for (const [, bend] of wrong) {
      const bent: Partner = {
        ...owner,
        get: (to, query) => owner.get(to, query, bend),
        post: (to, body) => owner.post(to, body, bend),
        delete: (to) => owner.delete(to, bend),
      };
      await expectUnauthorized(bent, method, path);
    }
  });
});
