import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { queriesOf, readDocuments } from "../../tools/dashboard-documents.ts";
import { NotYetError, present, until } from "../support/assert/until.ts";
import type { Send } from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner } from "../support/http/partner.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** The operator's view of the running sandbox: one token, all keys, both chains. */
const state = readSandboxState();
/** Lists, and what is read without a variable. */
const queries = queriesOf(readDocuments().map(({ document }) => document)).filter(
  ({ name, text }) => text.includes("$first") || name === "Chains",
);

async function post(
  query: string,
  token = state.dashboardToken,
  variables = {},
  url = state.graphqlUrl,
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, text: await response.text() };
}

const answerShape = z.object({ data: z.object({ dashboard: z.record(z.string(), z.unknown()) }) });
async function ask<S extends z.ZodType>(fields: string, shape: S): Promise<z.output<S>> {
  const { text } = await post(`{ dashboard { ${fields} } }`);
  return shape.parse(answerShape.parse(JSON.parse(text)).data.dashboard);
}

const pageShape = z.object({
  edges: z.array(z.unknown()),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
});
const connection = <S extends z.ZodType>(node: S) => z.object({ edges: z.array(z.object({ node })) });

it("tells of both chains: how far the index is, and what is to be sent", async () => {
  const shape = z.object({
    chains: z.array(
      z.object({
        chainId: z.number(),
        indexedBlock: z.number(),
        sendQueues: z.array(z.object({ state: z.string() })),
      }),
    ),
  });
  const { chains } = await ask("chains { chainId indexedBlock sendQueues { state } }", shape);
  expect(chains.map(({ chainId }) => chainId)).toEqual(state.chains.map(({ chainId }) => chainId));
  expect(chains.filter(({ sendQueues }) => sendQueues.length === 0)).toEqual([]);
});

it("answers every series of the overview under the api's own role", async () => {
  const series = z.object({ points: z.array(z.object({ at: z.number() })) });
  const shape = z.object({
    orderSeries: series,
    sendSeries: series,
    requestSeries: series,
    chainSeries: series,
    queueSeries: series,
  });
  const chainId = present(state.chains[0], "a chain").chainId;
  const answered = await ask(
    `orderSeries { points { at count volume } } sendSeries { points { at accepted } failures { errCode } }
    requestSeries { points { at requests p99Ms } } chainSeries(chainId: ${chainId}) { points { at lagSeconds } }
    queueSeries(chainId: ${chainId}) { points { at depth } }`,
    shape,
  );
  const counts = Object.entries(answered).map(([name, { points }]) => ({ name, points: points.length }));
  expect(counts.filter(({ points }) => points <= 95)).toEqual([]);
});

it("lists every key of the sandbox, and no secret of any", async () => {
  const shape = z.object({ keys: connection(z.object({ apiKey: z.string() })) });
  const { keys } = await ask("keys(first: 100) { edges { node { apiKey } } }", shape);
  const listed = keys.edges.map(({ node }) => node.apiKey);
  expect(state.keys.filter(({ apiKey }) => !listed.includes(apiKey))).toEqual([]);
});

it.each(state.chains.map(({ chainId }) => chainId))(
  "shows an order that a partner recorded on chain %d",
  async (chainId) => {
    const key = present(
      state.keys.find((candidate) => candidate.chainId === chainId && candidate.access === "WRITABLE"),
      `a key of chain ${chainId}`,
    );
    const partner = createPartner(state.baseUrl, key);
    // No node knows this transaction, so the order stays Init.
    const txHash = `0x${chainId.toString(16).padStart(8, "0").repeat(8)}`;
    await partner.must(partner.post("/orders/tx", { txHash }));
    const shape = z.object({
      orders: connection(
        z.object({
          order: z.object({ status: z.string() }),
          key: z.object({ apiKey: z.string() }),
          sendRequest: z.null(),
        }),
      ),
    });
    const fields = `orders(chainId: ${chainId}, txHash: "${txHash}") {
    edges { node { order { status } key { apiKey } sendRequest { requestId } } } }`;
    const found = await until("the order", async () => {
      const { orders } = await ask(fields, shape);
      return orders.edges.length > 0 ? orders : undefined;
    });
    expect(found.edges).toEqual([
      { node: { order: { status: "Init" }, key: { apiKey: key.apiKey }, sendRequest: null } },
    ]);
  },
);

it("shows balances of users on both chains, agreeing with what partners see", async () => {
  const shape = z.object({
    balances: connection(z.object({ chainId: z.number(), userAddress: z.string(), mUsdBalance: z.string() })),
  });
  const { balances } = await ask(
    "balances(first: 100) { edges { node { chainId userAddress mUsdBalance } } }",
    shape,
  );
  const chainIds = new Set(balances.edges.map(({ node }) => node.chainId));
  expect([...chainIds].sort()).toEqual(state.chains.map(({ chainId }) => chainId).sort());
});

const hitShape = z.object({ search: z.array(z.object({ kind: z.string(), id: z.string() })) });
const timelineShape = z.object({
  timeline: z.object({
    next: z.string().nullable(),
    steps: z.array(
      z.object({
        kind: z.string(),
        state: z.string(),
        at: z.number().nullable(),
        txHash: z.string().nullable(),
      }),
    ),
  }),
});

const found = async (text: string): Promise<string[]> => {
  const { search } = await ask(`search(text: "${text}") { kind id }`, hitShape);
  return search.map(({ kind, id }) => `${kind} ${id}`);
};

it("tells what happened to an order that was sent, from its request to its end, and finds it by each id", async () => {
  const chain = present(state.chains[0], "a chain");
  const user = present(state.users[1], "a second user");
  const key = await makeSandboxKey(chain, { userAddress: user.address });
  const partner = createPartner(state.baseUrl, key);
  await ensureDelegation(partner, state);
  const stock = present(chain.stockTokens[0], "a stock token");
  const deadline = Math.floor(Date.now() / 1_000) + 600;
  const order = { stockAddress: stock.address, side: "Buy", type: "Market", notional: "10", deadline };
  const { body } = await partner.post<Send>("/orders/send", order);
  const { requestId } = body.data;
  const read = (kind: string, id: string) =>
    ask(`timeline(kind: "${kind}", id: "${id}") { next steps { kind state at txHash } }`, timelineShape);
  const timelineOnce = (what: string, holds: (shown: z.infer<typeof timelineShape>["timeline"]) => boolean) =>
    until(`the order is ${what}`, async () => {
      const { timeline } = await read("send", requestId);
      return holds(timeline) && timeline;
    });
  // The settler fills what is placed; the log and finality follow.
  await timelineOnce("settled", (shown) => shown.steps.some(({ kind }) => kind === "settled"));
  await createControl(state.controlUrl).finalize(chain.chainId);
  const { steps } = await timelineOnce(
    "final and in the log",
    (shown) => shown.next === null && shown.steps.some(({ kind }) => kind === "event"),
  );
  const kinds = steps.filter(({ state: step }) => step === "done").map(({ kind }) => kind);
  const first = (kind: string) => kinds.indexOf(kind);
  const path = [
    "accepted",
    "simulated",
    "signed",
    "broadcast",
    "mined",
    "placed",
    "indexed",
    "mapped",
    "fill",
  ];
  expect(kinds.filter((kind, index) => path.includes(kind) && first(kind) === index)).toEqual(path);
  const early = ["settled", "event", "final"].filter((kind) => first(kind) <= first("placed"));
  expect({ early, kinds }).toEqual({ early: [], kinds });
  const txHash = present(steps.find(({ kind }) => kind === "mined")?.txHash, "its transaction");
  const hits = await found(txHash);
  const orderId = present(hits.find((hit) => hit.startsWith("order "))?.slice("order ".length), "its order");
  expect(hits).toEqual([`transaction ${txHash}`, `send ${requestId}`, `order ${orderId}`]);
  // An order's settlement becomes final, too. The event log may lag finality, so both are read until they agree.
  const told = async (kind: string, id: string) => {
    const { timeline } = await read(kind, id);
    return timeline.steps.map((shown) => shown.kind).filter((shown) => shown !== "final");
  };
  await until("the timelines of the order and of its send tell the same", async () => {
    const [ofOrder, ofSend] = [await told("order", orderId), await told("send", requestId)];
    if (!isDeepStrictEqual(ofOrder, ofSend)) throw new NotYetError(`order: ${ofOrder}; send: ${ofSend}`);
    return true;
  });
  const fillHash = present(steps.find(({ kind }) => kind === "fill")?.txHash, "the fill's transaction");
  expect(await found(fillHash)).toEqual([`transaction ${fillHash}`, `order ${orderId}`]);
  expect(await found(orderId)).toEqual([`order ${orderId}`]);
  expect(await found(requestId)).toEqual([`send ${requestId}`]);
  expect(await found(body.uuid)).toEqual([`request ${body.uuid}`, `send ${requestId}`]);
  expect(await found(key.apiKey)).toEqual([expect.stringMatching(/^key /)]);
  expect(await found(user.address.toLowerCase())).toContain(`user ${user.address}`);
  const refused = await partner.get("/orders/0x01");
  await until(
    "the refused request is kept",
    async () => (await found(refused.body.uuid)).length > 0 || undefined,
  );
  expect(await found(refused.body.uuid)).toEqual([`request ${refused.body.uuid}`]);
  const recorded = await partner.post("/orders/tx", { txHash: `0x${"5ea7".repeat(16)}` });
  expect(await found(recorded.body.uuid)).toEqual([
    `request ${recorded.body.uuid}`,
    `transaction 0x${"5ea7".repeat(16)}`,
  ]);
});

it("refuses a wrong token, a key's signature in its place, and what only a schema browser asks", async () => {
  const wrong = await post("{ dashboard { chains { chainId } } }", `${state.dashboardToken}x`);
  expect(wrong.status).toBe(400);
  expect(JSON.parse(wrong.text)).toMatchObject({ code: 401, errMsg: "Unauthorized", data: null });
  const asKey = await post("{ dashboard { chains { chainId } } }", present(state.keys[0], "a key").apiSecret);
  expect(JSON.parse(asKey.text)).toMatchObject({ code: 401 });
  const aliases = Array.from({ length: 1_000 }, (_unused, index) => `a${index}: __typename`).join(" ");
  expect((await post(`{ ${aliases} }`)).status).toBe(400);
});

it("shows its schema, as the sandbox is for development", async () => {
  const { text } = await post("{ __schema { queryType { name } } }");
  expect(JSON.parse(text)).toEqual({ data: { __schema: { queryType: { name: "Query" } } } });
});

it("answers hold no secret, whatever is asked for", async () => {
  const { text } = await post(`{ dashboard {
    keys(first: 50) { edges { node { keyId name apiKey access status userAddress ips scopes { chainId productType }
      policy { dailyNotionalCap allowedSymbols allowedOperations killed } } } }
    sendRequests(first: 50) { edges { node { requestId operation wallet toAddress state reason attempts { txHash answer } } } }
    chains { chainId products headBlock sendQueues { wallet state stateReason retired depth failures } } } }`);
  expect(JSON.parse(text).errors).toBeUndefined();
  const secrets = [
    ...state.keys.map(({ apiSecret }) => apiSecret),
    ...state.users.map(({ privateKey }) => privateKey.slice(2)),
    state.dashboardToken,
  ];
  expect(secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
});

describe("the web page", () => {
  const pageUrl = state.dashboardUrl;

  it("is served to anybody, with its files, and holds no token", async () => {
    const page = await fetch(pageUrl);
    expect({ status: page.status, "content-type": page.headers.get("content-type") }).toEqual({
      status: 200,
      "content-type": "text/html; charset=utf-8",
    });
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, link = ""]) => new URL(link, pageUrl),
    );
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) {
      const file = await fetch(link);
      expect({ pathname: link.pathname, status: file.status }).toEqual({
        pathname: link.pathname,
        status: 200,
      });
      expect(await file.text()).not.toContain(state.dashboardToken);
    }
    expect(html).not.toContain(state.dashboardToken);
  });

  const isList = (value: unknown): boolean => Array.isArray(value) || pageShape.safeParse(value).success;

  it.each(queries)("is answered what it asks for $name, page by page", async ({ name, text: query }) => {
    const url = new URL("graphql", pageUrl).href;
    const user = present(state.users[0], "a user").address;
    const filters = { chainId: String(present(state.chains[0], "a chain").chainId), userAddress: user };
    const role = query.includes("$operator") ? { operator: true } : {};
    const asked = {
      ...(name === "Balances" ? filters : {}),
      ...(name === "Deliveries" ? { webhookId: randomUUID() } : {}),
      ...role,
    };
    const { text } = await post(query, state.dashboardToken, { ...asked, first: 1 }, url);
    const { data } = answerShape.parse(JSON.parse(text));
    const list = Object.values(data.dashboard).find(isList);
    if (Array.isArray(list)) return expect(list).toHaveLength(state.chains.length);
    const { edges, pageInfo } = pageShape.parse(list);
    if (["Orders", "Keys", "Balances"].includes(name)) expect(edges).toHaveLength(1);
    if (!pageInfo.hasNextPage) return;
    const older = await post(
      query,
      state.dashboardToken,
      { ...asked, first: 1, after: pageInfo.endCursor },
      url,
    );
    const next = Object.values(answerShape.parse(JSON.parse(older.text)).data.dashboard).find(isList);
    expect(pageShape.parse(next).edges).toHaveLength(1);
    expect(next).not.toEqual(list);
  });
});
