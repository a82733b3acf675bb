import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import { ROOT } from "../../src/config/root.ts";
import { canary } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import type { DelegationPayload } from "../support/http/answers.ts";
import { createPartner } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { blocksOf } from "../support/program/markdown.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** Runs the samples of docs/webhooks.md and docs/one-click.md, to the letter, with the sandbox. */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const chain = present(
  state.chains.find(({ chainId }) => chainId === key.chainId),
  "its chain",
);
// Below node_modules, where packages are found.
const cache = `${ROOT}node_modules/.cache`;
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "samples-"));
afterAll(() => rmSync(folder, { recursive: true }));

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Runs a sample as the receiver of a new webhook's test event. Returns what it stored, and how it answered. */
async function receive(program: string, args: readonly string[], file: string, sample: string) {
  const port = await freePort();
  const partner = createPartner(state.baseUrl, await makeSandboxKey(chain));
  const url = `http://127.0.0.1:${port}/hooks/trading`;
  const { webhook, secret } = await partner.must(
    partner.post<{ webhook: { webhookId: string }; secret: string }>("/webhooks", { url }),
  );
  const path = join(folder, file);
  writeFileSync(path, sample.replace("8443", String(port)));
  const child = spawn(program, [...args, path], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      WEBHOOK_SECRET: canary("webhook secret", secret),
      PYTHONPATH: `${ROOT}src/client/python`,
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
  try {
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    const forged = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    const refusal = await until("the sample listens", () => fetch(url, forged).catch(() => undefined));
    const delivery = await partner.must(
      partner.post<{ delivered: boolean; statusCode: number }>(`/webhooks/${webhook.webhookId}/test`),
    );
    await until("the sample has stored it", () => output !== "" || undefined);
    return { refusal: refusal.status, delivery, stored: output.trim() };
  } finally {
    child.kill();
    await partner.must(partner.delete(`/webhooks/${webhook.webhookId}`));
  }
}

const RECEIVED = {
  refusal: 400,
  delivery: { delivered: true, statusCode: 204 },
  stored: expect.stringMatching(/^[0-9a-f-]{36} webhook\.test$/),
};

it("docs/webhooks.md in TypeScript takes the service's request and refuses a forged one", async () => {
  const [sample = ""] = blocksOf("docs/webhooks.md", "ts");
  const client = sample.replace('"partner-trading"', `"${ROOT}src/client/index.ts"`);
  const store = "globalThis.store = (id, { type }) => console.log(id, type);";
  const outcome = await receive(process.execPath, ["--import", "tsx"], "sample.mts", `${store}\n${client}`);
  expect(outcome).toMatchObject(RECEIVED);
});

describeWhere("python3", "docs/webhooks.md in Python", () => {
  it("takes the service's request and refuses a forged one", async () => {
    const store = 'def store(id, event):\n    print(id, event["type"], flush=True)';
    const sample = `${store}\n${blocksOf("docs/webhooks.md", "python").join("\n")}`;
    expect(await receive("python3", [], "sample.py", sample)).toMatchObject(RECEIVED);
  });
});

it("docs/one-click.md: what a wallet signs by eth_signTypedData_v4 is what libraries sign", async () => {
  const partner = createPartner(state.baseUrl, key);
  const deadline = Math.floor(Date.now() / 1000) + 600;
  const { signPayload } = await partner.must(
    partner.post<DelegationPayload>("/1ct/prepare", { userAddress: key.userAddress, deadline }),
  );
  const { domain, types, message } = structuredClone(signPayload);
  const user = present(
    state.users.find(({ address }) => address === key.userAddress),
    "the bound user",
  );
  const expected = await new Wallet(user.privateKey).signTypedData(domain, types, message);
  for (const block of blocksOf("docs/one-click.md", "js")) new Function("signPayload", block)(signPayload);
  const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, { staticNetwork: true });
  // The sandbox's node holds the user's key, as a wallet does.
  const signed = await provider.send("eth_signTypedData_v4", [user.address, JSON.stringify(signPayload)]);
  provider.destroy();
  expect(canary("user's signature", signed)).toBe(expected);
});
