import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { PartnerTrading } from "../../packages/client/src/index.ts";
import { ROOT } from "../../src/config/root.ts";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { present } from "../support/assert/until.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

interface Item {
  request: {
    method: string;
    url: { raw: string; query?: { key: string; value: string; disabled?: boolean }[] };
  };
}
interface Execution {
  item: { name: string };
  request: { method: string; url: { path: string[] } };
  /** Missing where the request was left out. */
  response?: { stream: { data: number[] } };
  assertions: { assertion: string; error?: { message: string } }[];
}

const state = readSandboxState();
const chain = present(state.chains[0], "a chain");

/** Reads the committed Postman collection, without the requests that create objects: records and webhooks. */
async function readCollection() {
  const text = await readFile(`${ROOT}examples/postman/partner-trading.postman_collection.json`, "utf8");
  const collection: { item: { name: string; item: Item[] }[] } = JSON.parse(text);
  for (const folder of collection.item)
    folder.item = folder.item.filter(
      ({ request: { method, url } }) =>
        method === "GET" ||
        // A run skips what may cancel the orders of others.
        (/(calldata|send|prepare)$/.test(url.raw) && !url.raw.endsWith("/orders/cancel/send")),
    );
  return collection;
}

/** Runs a collection with newman, which is Postman without its window. */
async function runNewman(collection: unknown, variables: Record<string, string>): Promise<Execution[]> {
  const folder = await mkdtemp(join(tmpdir(), "collection-"));
  try {
    const [file, report] = [join(folder, "collection.json"), join(folder, "report.json")];
    await writeFile(file, JSON.stringify(collection));
    const values = Object.entries(variables).flatMap(([name, value]) => ["--env-var", `${name}=${value}`]);
    const reporters = ["--reporters", "json", "--reporter-json-export", report, "--suppress-exit-code"];
    const args = [`${ROOT}node_modules/newman/bin/newman.js`, "run", file, ...reporters, ...values];
    await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH }, cwd: folder });
    return JSON.parse(await readFile(report, "utf8")).run.executions;
  } finally {
    // The report has the secret.
    await rm(folder, { recursive: true });
  }
}

const answerOf = ({ response }: Execution) =>
  JSON.parse(Buffer.from(present(response, "a response").stream.data).toString());

it("every request of the Postman collection is signed as the API wants it", async () => {
  const key = await makeSandboxKey(chain);
  const collection = await readCollection();
  const orders = present(
    collection.item
      .flatMap(({ item }) => item)
      .find(({ request: { method, url } }) => method === "GET" && url.raw.endsWith("/orders")),
    "the list of orders",
  );
  // Unsorted, with a blank, and with characters that tools encode differently.
  orders.request.url.query = [
    { key: "status", value: "Partial filled" },
    { key: "limit", value: "5" },
    { key: "clientOrderId", value: "a_b-{{productType}}" },
  ];
  const variables = {
    baseUrl: state.baseUrl,
    apiKey: key.apiKey,
    apiSecret: key.apiSecret,
    chainId: String(key.chainId),
    productType: key.productType,
  };
  const executions = await runNewman(collection, variables);
  expect(executions.length).toBe(collection.item.flatMap(({ item }) => item).length);
  const failed = executions.flatMap(({ item: { name }, assertions }) =>
    assertions.filter(({ error }) => error).map(({ error }) => `${name}: ${error?.message}`),
  );
  expect(failed).toEqual([]);
  const codeOf = (method: string, path: string) =>
    executions
      .filter(({ request }) => request.method === method && request.url.path.join("/") === `api/v1${path}`)
      .map((execution) => answerOf(execution).code);
  expect({ orders: codeOf("GET", "/orders") }).toEqual({ orders: [200] });
  expect({ symbols: codeOf("GET", "/symbols") }).toEqual({ symbols: [200] });
  expect({ calldata: codeOf("POST", "/orders/calldata") }).toEqual({ calldata: [200] });
  // The key is bound to no user.
  expect({ send: codeOf("POST", "/orders/send") }).toEqual({ send: [10002] });
  expect(executions.filter((execution) => answerOf(execution).code === 200).length).toBeGreaterThan(15);
});

it("a run of the whole Postman collection uses its own ids, and leaves the sandbox as it was", async () => {
  const key = present(
    state.keys.find(
      ({ access, userAddress, chainId }) => access === "WRITABLE" && userAddress && chainId === chain.chainId,
    ),
    "a bound key",
  );
  const trading = new PartnerTrading({ ...key, baseUrl: state.baseUrl });
  const user = present(key.userAddress, "its user");
  const look = async () => ({
    key: await trading.key.get(),
    delegation: await trading.oneClick.status(),
    balance: withoutTime(await trading.users.balance(user, { spenderAddress: chain.contracts.stockRouter })),
    open: (await trading.orders.list({ onChainStatus: "open", limit: 100 })).rows.map(
      ({ orderId }) => orderId,
    ),
    webhooks: (await trading.webhooks.list()).rows.map(({ webhookId }) => webhookId),
  });
  const before = await look();
  const text = await readFile(`${ROOT}examples/postman/partner-trading.postman_collection.json`, "utf8");
  const executions = await runNewman(JSON.parse(text), {
    baseUrl: state.baseUrl,
    apiKey: key.apiKey,
    apiSecret: key.apiSecret,
    chainId: String(key.chainId),
    productType: key.productType,
    webhookUrl: "http://127.0.0.1:9999/hooks",
  });
  const refused = executions
    .filter(({ response }) => response)
    .map((execution) => ({ ...execution, answer: answerOf(execution) }))
    .filter(({ answer }) => answer.code !== 200)
    .map(({ item: { name }, answer }) => `${name}: ${answer.errCode ?? answer.code}`);
  // The wallet of the user has signed nothing, and there may be nothing to deliver again.
  expect(refused.filter((name) => !name.startsWith("Redeliver"))).toEqual([
    // Where the user enabled before, its nonce is used.
    expect.stringMatching(/^Enable one-click sending: (SIGNER_MISMATCH|DELEGATION_NONCE_USED)$/),
  ]);
  const canceled = executions
    .filter(({ item: { name } }) => name.startsWith("Cancel an order"))
    .map(answerOf);
  expect(canceled).toMatchObject([{ code: 200 }, { code: 200 }]);
  expect(new Set(canceled.map(({ data }) => data.mapping.orderId)).size).toBe(2);
  await eventuallyEquals(look, before);
});

/** Returns an answer without the blocks at which it was read, and without prices: both move on by themselves. */
const withoutTime = (value: object): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, part) => (/block|^price$/i.test(name) ? undefined : (part as unknown))),
  );

it("a wrong secret fails the collection's own check, with the sandbox's cause", async () => {
  const { apiKey, chainId, productType } = present(state.keys[0], "a key");
  const collection = await readCollection();
  collection.item = collection.item.slice(0, 1);
  const folder = present(collection.item[0], "a folder");
  folder.item = folder.item.slice(0, 1);
  const wrong = { baseUrl: state.baseUrl, apiKey, apiSecret: "wrong", chainId: String(chainId), productType };
  const [execution] = await runNewman(collection, wrong);
  expect(execution?.assertions).toMatchObject([
    {
      assertion: "The signature is accepted",
      error: { message: expect.stringContaining("signature wrong") },
    },
  ]);
});
