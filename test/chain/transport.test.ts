import { afterEach, expect, it } from "@jest/globals";
import { encodeErrorResult } from "viem";
import { createChains } from "../../src/chain/clients.ts";
import { simulate } from "../../src/chain/simulate.ts";
import { protocolErrorsAbi } from "../../src/contracts/abi/index.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";

// Concurrent estimates are sent together, over a fetch that each test answers.

interface Asked {
  id: number;
  method: string;
  params: [{ data: string }];
}
type Body = Asked | Asked[];

const REVERT = encodeErrorResult({ abi: protocolErrorsAbi, errorName: "DepositPaused" });
/** Ending of the data of calls that revert. */
const REVERTS = "ee";

const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
});

function answering(answer: (body: Body, url: string) => unknown): { url: string; body: Body }[] {
  const posted: { url: string; body: Body }[] = [];
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body: Body = JSON.parse(String(init?.body));
    posted.push({ url, body });
    const given = answer(body, url);
    return given instanceof Response ? given : Response.json(given);
  };
  return posted;
}

const estimateOf = ({ id, params: [{ data }] }: Asked) =>
  data.endsWith(REVERTS)
    ? { jsonrpc: "2.0", id, error: { code: 3, message: "execution reverted: no", data: REVERT } }
    : { jsonrpc: "2.0", id, result: `0x${data.slice(-2)}` };
const estimates = (body: Body) => (Array.isArray(body) ? body.map(estimateOf).reverse() : estimateOf(body));

const [FIRST, SECOND] = ["http://first.invalid/", "http://second.invalid/"];
const chainOf = (...rpcUrls: string[]) =>
  present(
    createChains({
      chains: [
        {
          chainId: 31337,
          rpcUrls,
          wsUrls: [],
          multicall3: null,
          ephemeral: true,
          confirmations: 1,
          pollingIntervalMs: 200,
          products: [],
        },
      ],
    }).get(31337),
    "the chain",
  );
const estimate = (chain: ReturnType<typeof chainOf>, ...datas: string[]) =>
  Promise.all(
    datas.map((data) =>
      simulate(chain, { from: hex(20, 1), to: CONTRACTS.stockRouter, data: `0x${data}` }).catch(
        (error: unknown) => error,
      ),
    ),
  );
const passes = (gas: number) => ({ gasEstimate: BigInt(gas), revert: null });
const shapes = (posted: { body: Body }[]) =>
  posted.map(({ body }) => (Array.isArray(body) ? body.length : 1));

it("are one request, each with an answer of its own", async () => {
  const posted = answering(estimates);
  expect(await estimate(chainOf(FIRST), "a1", REVERTS, "a3")).toEqual([
    passes(0xa1),
    { gasEstimate: null, revert: "DepositPaused" },
    passes(0xa3),
  ]);
  expect({ shapes: shapes(posted) }).toEqual({ shapes: [3] });
});

it("go one by one to a node that takes no batches", async () => {
  answering((body) => (Array.isArray(body) ? new Response("no", { status: 400 }) : estimateOf(body)));
  expect(await estimate(chainOf(FIRST), "a1", REVERTS)).toEqual([
    passes(0xa1),
    { gasEstimate: null, revert: "DepositPaused" },
  ]);
});

it("go to the next node where one does not answer", async () => {
  const posted = answering((body, url) =>
    url === FIRST ? new Response("", { status: 503 }) : estimates(body),
  );
  expect(await estimate(chainOf(FIRST, SECOND), "a1", "a2")).toEqual([passes(0xa1), passes(0xa2)]);
  expect({ shapes: shapes(posted) }).toEqual({ shapes: [2, 2] });
});

it("are RPC_UNAVAILABLE where no node answers", async () => {
  answering(() => new Response("", { status: 503 }));
  const answers = await estimate(chainOf(FIRST), "a1", "a2");
  const unavailable = { errCode: "RPC_UNAVAILABLE" };
  expect(answers).toMatchObject([unavailable, unavailable]);
});
