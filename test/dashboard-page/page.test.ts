import { beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { present } from "../support/until.ts";
import { openBrowser, type StandIn } from "./browser.ts";
import { read } from "./files.ts";

/** The page's scripts, run against a service of this file, which answers markup wherever a text may stand. */
const MARKUP = '<img src=x onerror="alert(1)">';
const TOKEN = "the-right-token";
const USER = `0x${"ab".repeat(20)}`;

interface Asked {
  panel: string;
  variables: Record<string, unknown>;
  token: string;
}
let asked: Asked[] = [];
let isDown = false;
let known = TOKEN;

const connection = (nodes: unknown[], after: unknown) => ({
  edges: nodes.map((node) => ({ node })),
  pageInfo: { hasNextPage: after === undefined, endCursor: "cursor-1" },
});
const mapping = {
  chainId: 31337,
  productType: "Spot",
  userAddress: null,
  source: "recorded",
  createdAt: 1_700_000_000,
};
const key = {
  keyId: "id-of-acme",
  name: MARKUP,
  apiKey: "pk",
  access: "WRITABLE",
  status: "revoked",
  ips: [],
};
const ANSWERS: Record<string, (variables: Record<string, unknown>) => unknown> = {
  Chains: () => ({
    chains: [
      {
        chainId: 31337,
        products: ["Spot", MARKUP],
        indexedBlock: 7,
        lagSeconds: 3.14,
        lagBlocks: 0,
        headBlock: 7,
      },
      {
        chainId: 31338,
        products: ["Spot"],
        indexedBlock: null,
        lagSeconds: null,
        lagBlocks: null,
        headBlock: null,
      },
    ],
  }),
  Queues: () => {
    const depth = { accepted: 2, signed: 0, broadcast: 1, mined: 0 };
    const queue = {
      wallet: USER,
      state: "halted",
      stateReason: MARKUP,
      depth,
      oldestSeconds: 7_300,
      failures: {},
    };
    return {
      chains: [
        {
          chainId: 31337,
          sendQueues: [{ ...queue, balanceWei: "1500000000000000001", nextNonce: 9, chainNonce: 7 }],
        },
      ],
    };
  },
  Sends: ({ after }) => ({
    sendRequests: connection(
      [{ requestId: MARKUP, state: "failed", key, attempts: [{}], errCode: "X", reason: MARKUP }],
      after,
    ),
  }),
  Orders: ({ after }) => ({
    orders: connection(
      [
        {
          order: {
            status: "New",
            mapping,
            txHash: after ? "0xolder" : "0xnewer",
            openOrder: { symbol: MARKUP },
          },
          key,
        },
      ],
      after,
    ),
  }),
  Operations: ({ after }) => ({
    operations: connection(
      [{ kind: "deposit", operation: { mapping, depositOperation: { amount: "1.5" } }, key }],
      after,
    ),
  }),
  Balances: ({ after }) => ({
    balances: connection(
      [{ chainId: 31337, mUsdBalance: "250.5", stocks: [{ symbol: MARKUP }], keys: [key] }],
      after,
    ),
  }),
  Keys: ({ after }) => ({
    keys: connection([{ ...key, scopes: [mapping], expiresAt: null, policy: { killed: true } }], after),
  }),
};

async function serve(path: string, request: RequestInit): Promise<Response> {
  if (isDown) throw new TypeError("Failed to fetch");
  if (path === "readyz")
    return Response.json({ status: "not ready", missing: ["indexer of chain 31338"] }, { status: 503 });
  const { query, variables } = JSON.parse(String(request.body));
  const token = new Headers(request.headers).get("authorization") ?? "";
  const panel = /^query (\w+)/.exec(query)?.[1] ?? "";
  asked.push({ panel, variables, token });
  if (token !== `Bearer ${known}`)
    return Response.json({ code: 401, errMsg: "Unauthorized", data: null }, { status: 400 });
  return Response.json({ data: { dashboard: present(ANSWERS[panel], panel)(variables) } });
}

let page: StandIn;
const at = (selector: string, root: StandIn = page) => present(root.querySelector(selector), selector);
const rows = (panel: string) =>
  at("tbody", at(`#${panel}`)).elements.flatMap((row) =>
    row.tag === "tr"
      ? [row.children.map((cell) => (typeof cell === "string" ? cell : cell.textContent))]
      : [],
  );
const settle = (ms = 0) => jest.advanceTimersByTimeAsync(ms);
const enter = async (token: string) => {
  at("#token").value = token;
  at("#entry").act("submit");
  await settle();
};
const press = async (label: string, root: StandIn = page) => {
  present(
    root.querySelectorAll("button").find((button) => button.textContent === label),
    label,
  ).act("click");
  await settle();
};
const panels = () => asked.map(({ panel }) => panel).sort();

beforeAll(async () => {
  jest.useFakeTimers();
  page = openBrowser(read("page.html"), serve);
  await import(new URL("../../src/dashboard-page/browser/page.js", import.meta.url).href);
  await settle();
});
beforeEach(() => {
  asked = [];
});

describe("the token", () => {
  it("is asked for before anything else is", async () => {
    for (const panel of page.querySelectorAll("details")) panel.act("toggle");
    await settle(60_000);
    expect(asked).toEqual([]);
    expect([at("#entry").hidden, at("#view").hidden]).toEqual([false, true]);
    expect(at("#entry-problem").textContent).toBe("");
  });

  it.each(["wrong", "not a token \u20ac"])("is refused in clear words: %s", async (token) => {
    await enter(token);
    expect(at("#entry-problem").textContent).toMatch(/^Wrong token/);
    expect([at("#entry").hidden, at("#view").hidden]).toEqual([false, true]);
  });

  it("is not blamed where the service is away", async () => {
    isDown = true;
    await enter(TOKEN);
    isDown = false;
    expect(at("#entry-problem").textContent).toBe("The service does not answer.");
  });

  it("opens the page, and stays in no element", async () => {
    await enter(` ${TOKEN} `);
    expect([at("#entry").hidden, at("#view").hidden]).toEqual([true, false]);
    const everywhere = page.elements.flatMap((element) => [element.value, ...element.attributes.values()]);
    expect(everywhere.filter((value) => value.includes(TOKEN))).toEqual([]);
    expect(page.textContent).not.toContain(TOKEN);
  });
});

describe("the tables", () => {
  it("show what was answered", () => {
    expect(rows("chains").map((row) => row.slice(0, 7))).toEqual([
      ["31337", `Spot, ${MARKUP}`, "ready", "7", "-", "3.1 s", "0"],
      ["31338", "Spot", "missing: indexer of chain 31338", "-", "-", "-", "-"],
    ]);
    expect(rows("queues")).toEqual([
      ["31337", USER, "halted", MARKUP, "accepted 2, broadcast 1", "2 h", "1.5", "9", "7", "-", "-"],
    ]);
    expect(rows("orders")[0]).toEqual(
      expect.arrayContaining(["2023-11-14 22:13:20", "31337", "New", "0xnewer"]),
    );
    expect(rows("keys")[0]).toEqual(expect.arrayContaining(["revoked", "Spot on 31337", "never", "stopped"]));
  });

  it("have as many cells in a row as headings", () => {
    for (const panel of page.querySelectorAll("details")) {
      const id = panel.attributes.get("id") ?? "";
      for (const row of rows(id)) expect([id, row.length]).toEqual([id, panel.querySelectorAll("th").length]);
    }
  });

  it("show markup as the text it is", () => {
    expect(page.querySelectorAll("img")).toEqual([]);
    expect(rows("sends")[0]).toEqual(expect.arrayContaining([MARKUP, `X, ${MARKUP}`]));
  });

  it("offer the chains, products and keys that there are, once", async () => {
    await press("Refresh now");
    const options = at('select[name="chainId"]', at("#orders")).querySelectorAll("option");
    expect(options.map(({ value }) => value)).toEqual(["", "31337", "31338"]);
    expect(at("#known-keys").elements.map(({ value, textContent }) => [value, textContent])).toEqual([
      ["id-of-acme", MARKUP],
    ]);
  });

  it("go to older rows and back", async () => {
    const orders = at("#orders");
    await press("Older", orders);
    expect(asked).toMatchObject([{ panel: "Orders", variables: { first: 25, after: "cursor-1" } }]);
    expect(rows("orders")[0]).toContain("0xolder");
    await press("Older", orders);
    expect(asked).toHaveLength(1);
    await press("Newest", orders);
    expect(asked.at(-1)?.variables).toEqual({ first: 25 });
    expect(rows("orders")[0]).toContain("0xnewer");
  });

  it("ask with what is filled in, and nothing else", async () => {
    const orders = at("#orders");
    at('select[name="status"]', orders).value = "Partial filled";
    at('input[name="userAddress"]', orders).value = ` ${USER} `;
    at("form", orders).act("change");
    await settle();
    expect(asked).toMatchObject([{ variables: { first: 25, status: "Partial filled", userAddress: USER } }]);
  });

  it("ask for balances only when a user is typed in", async () => {
    const balances = at("#balances");
    expect(balances.textContent).toContain("Type an address");
    at('input[name="userAddress"]', balances).value = USER;
    at("form", balances).act("submit");
    await settle();
    expect(asked).toMatchObject([{ panel: "Balances", variables: { userAddress: USER } }]);
    expect(rows("balances").map((row) => row.slice(2, 4))).toEqual([
      ["mUSD", "250.5"],
      [MARKUP, "-"],
    ]);
  });
});

describe("the refresh", () => {
  it("comes every few seconds, for open tables", async () => {
    at("#keys").attributes.delete("open");
    await settle(5_000);
    expect(panels()).toEqual(["Balances", "Chains", "Operations", "Orders", "Queues", "Sends"]);
    at("#keys").setAttribute("open", "");
  });

  it("rests while it is paused, and goes on", async () => {
    await press("Pause");
    await settle(60_000);
    expect(asked).toEqual([]);
    await press("Refresh now");
    await settle(60_000);
    expect(panels().filter((panel) => panel === "Orders")).toHaveLength(1);
    asked = [];
    await press("Go on");
    await settle(5_000);
    expect(panels().filter((panel) => panel === "Orders")).toHaveLength(2);
  });

  it("says what is wrong, keeps the rows, and comes back by itself", async () => {
    isDown = true;
    await settle(5_000);
    expect(at("#orders").textContent).toContain("The service does not answer.");
    expect(rows("orders")).toHaveLength(1);
    isDown = false;
    await settle(5_000);
    expect(at("#orders").textContent).not.toContain("The service does not answer.");
  });
});

describe("the end", () => {
  it("comes with a token that is not accepted any more: nothing stays on the page, nothing is asked", async () => {
    known = "another";
    await settle(5_000);
    expect([at("#entry").hidden, at("#view").hidden]).toEqual([false, true]);
    expect(at("#entry-problem").textContent).toMatch(/does not accept this token any more/);
    expect(page.textContent).not.toContain(MARKUP);
    expect(page.querySelectorAll("tbody").flatMap(({ elements }) => elements)).toEqual([]);
    asked = [];
    await settle(60_000);
    expect(asked).toEqual([]);
  });

  it("comes when the reader says so", async () => {
    await enter("another");
    at('select[name="status"]', at("#orders")).value = "New";
    expect(rows("chains")).toHaveLength(2);
    await press("Forget the token");
    expect([rows("chains"), at("#view").hidden]).toEqual([[], true]);
    expect(at('select[name="status"]', at("#orders")).value).toBe("");
  });
});
