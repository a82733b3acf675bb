import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Wallet } from "ethers";
import { createClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { ROOT } from "../../src/config/root.ts";
import { canary } from "../support/assert/logs.ts";
import { NotYetError, present, until } from "../support/assert/until.ts";
import type { DelegationPayload } from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { blocksOf, readBlocks } from "../support/program/markdown.ts";
import { createSampleFolder } from "../support/program/samples.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** Runs the samples of docs/quick-start.md, docs/clients.md, docs/webhooks.md, docs/one-click.md and docs/SANDBOX.md, to the letter, with the sandbox. */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const chain = present(
  state.chains.find(({ chainId }) => chainId === key.chainId),
  "its chain",
);
const partner = createPartner(state.baseUrl, key);
const folder = createSampleFolder();

beforeAll(() => ensureDelegation(partner, state));
afterAll(() => folder.remove());

const [credentials = ""] = blocksOf("docs/clients.md", "sh");

/** Runs shell lines as a reader types them, below the line that sets the credentials. */
async function type(lines: string): Promise<string> {
  const env = {
    PATH: `${ROOT}node_modules/.bin:${process.env.PATH}`,
    HOME: process.env.HOME,
    SANDBOX_DIR: dirname(present(process.env.E2E_STATE_FILE, "the sandbox's state")),
    ...folder.env,
  };
  const script = `set -e\n${credentials}\n${lines}`;
  const options = { cwd: ROOT, env, timeout: 120_000 };
  return (await promisify(execFile)("/bin/sh", ["-c", script], options)).stdout;
}

describe("docs/quick-start.md", () => {
  const PAGE = "docs/quick-start.md";
  const [variables = "", ...commands] = blocksOf(PAGE, "sh");

  it("TypeScript: buys, and waits until the order is filled", async () => {
    const command = await folder.typescript("trade", blocksOf(PAGE, "ts").join("\n"));
    expect(await type(command.join(" "))).toMatch(/^AAPL is at [\d.]+\nbought at [\d.]+\n$/);
  });

  describeWhere("openssl", "a shell", () => {
    it("signs, copies the clients, builds an order, and creates a webhook", async () => {
      const owner = await makeSandboxKey(chain);
      const own = {
        PARTNER_TRADING_BASE_URL: state.baseUrl,
        PARTNER_TRADING_API_KEY: owner.apiKey,
        PARTNER_TRADING_API_SECRET: owner.apiSecret,
        PARTNER_TRADING_CHAIN_ID: String(owner.chainId),
        PARTNER_TRADING_PRODUCT: owner.productType,
      };
      const names = [...variables.matchAll(/^export (\w+)=/gm)].map(([, name]) => name);
      expect(names).toEqual(Object.keys(own));
      const cwd = mkdtempSync(join(tmpdir(), "quick-start-"));
      const script = ["set -e", ...commands]
        .join("\necho\n")
        .replace("https://partner.example/hooks/trading", "http://127.0.0.1:8443/hooks/trading");
      const { stdout } = await promisify(execFile)("/bin/sh", ["-c", script], {
        cwd,
        env: { PATH: process.env.PATH, ...own },
        timeout: 120_000,
      });
      const copied = readFileSync(join(cwd, "partner_trading.py"), "utf8");
      rmSync(cwd, { recursive: true });
      expect(copied).toBe(readFileSync(`${ROOT}packages/client/python/partner_trading.py`, "utf8"));
      const answers = stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      expect(answers).toMatchObject([
        { code: 200, data: { apiKey: owner.apiKey } },
        { code: 200, data: expect.arrayContaining([expect.objectContaining({ symbol: "AAPL" })]) },
        { code: 200, data: { callData: expect.stringMatching(/^0x[0-9a-f]+$/) } },
        { code: 200, data: { secret: expect.stringMatching(/^whsec_/) } },
      ]);
      canary("webhook secret", answers[3].data.secret);
    });
  });
});

describe("docs/clients.md", () => {
  const PAGE = "docs/clients.md";
  const [, ...commands] = blocksOf(PAGE, "sh");
  const commandsWith = (program: string) => commands.filter((text) => text.includes(program));

  it("has no block that this file does not run", () => {
    const languages = readBlocks(PAGE).map(({ language }) => language);
    expect(languages.filter((language) => !["sh", "python"].includes(language))).toEqual([]);
    const run = ["curl.sh", "go run", "newman run", "npm install"].flatMap(commandsWith);
    expect(run.sort()).toEqual([...commands].sort());
  });

  it("Packages: the deployment serves what is installed (test/e2e/client-packages.long.test.ts installs them)", async () => {
    const urls = commandsWith("npm install").flatMap((text) => text.match(/https:\S+/g) ?? []);
    const answers = await Promise.all(
      urls.map((url) => fetch(url.replace("https://api.example.com", state.baseUrl))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("Postman: newman runs a folder of the collection", async () => {
    expect(await type(commandsWith("newman run").join("\n"))).toContain("The signature is accepted");
  });

  describeWhere("python3", "Python", () => {
    it("buys as the quick start does, reads pages, and follows events", async () => {
      const command = folder.python(
        "trade",
        ["docs/quick-start.md", PAGE].flatMap((page) => blocksOf(page, "python")).join("\n"),
      );
      const printed = await type(command.join(" "));
      expect(printed).toMatch(/^AAPL is at [\d.]+\nbought at [\d.]+\n(0x\w{64} [\d.]+\n)+/);
      expect(printed).toMatch(/^order\.filled \S+\n$/m);
    });
  });

  describeWhere("openssl", "a shell", () => {
    it("lists orders, and builds a transaction", async () => {
      const answers = (await type(commandsWith("curl.sh").join("\n"))).trim().split("\n");
      expect({ codes: answers.map((text) => JSON.parse(text).code) }).toEqual({ codes: [200, 200] });
    });
  });

  describeWhere("go", "Go", () => {
    it("runs the example", async () => {
      expect(await type(commandsWith("go run").join("\n"))).toContain("bytes of calldata");
    });
  });
});

describe("docs/webhooks.md", () => {
  const PAGE = "docs/webhooks.md";
  const RECEIVED = {
    refusal: 400,
    delivery: { delivered: true, statusCode: 204 },
    stored: expect.stringMatching(/^[0-9a-f-]{36} webhook\.test$/),
  };

  /** Runs a sample as the receiver of a new webhook's test event. Returns what it stored, and how it answered. */
  async function receive(prepare: (port: number) => Promise<string[]> | string[]) {
    const port = await freePort();
    const owner = createPartner(state.baseUrl, await makeSandboxKey(chain));
    const url = `http://127.0.0.1:${port}/hooks/trading`;
    const { webhook, secret } = await owner.must(
      owner.post<{ webhook: { webhookId: string }; secret: string }>("/webhooks", { url }),
    );
    const [program = "", ...args] = await prepare(port);
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH, WEBHOOK_SECRET: canary("webhook secret", secret), ...folder.env },
    });
    try {
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
      const forged = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
      const refusal = await until("the sample listens", () => {
        if (child.exitCode !== null) throw new Error(`the sample ended with ${child.exitCode}`);
        return fetch(url, forged).catch((error) => {
          throw new NotYetError(String(error.cause ?? error));
        });
      });
      const test = `/webhooks/${webhook.webhookId}/test`;
      const delivery = await owner.must(owner.post<{ delivered: boolean; statusCode: number }>(test));
      await until("the sample has stored it", () => output !== "" || undefined);
      return { refusal: refusal.status, delivery, stored: output.trim() };
    } finally {
      child.kill();
      await owner.must(owner.delete(`/webhooks/${webhook.webhookId}`));
    }
  }

  const sampleOf = (language: string, store: string, port: number) =>
    [store, ...blocksOf(PAGE, language)].join("\n").replace("8443", String(port));

  it("TypeScript: takes the service's request, and refuses a forged one", async () => {
    const store = "globalThis.store = (id, { type }) => console.log(id, type);";
    const outcome = await receive((port) => folder.typescript("receive", sampleOf("ts", store, port)));
    expect(outcome).toMatchObject(RECEIVED);
  });

  describeWhere("python3", "Python", () => {
    it("takes the service's request, and refuses a forged one", async () => {
      const store = 'def store(id, event):\n    print(id, event["type"], flush=True)';
      const outcome = await receive((port) => folder.python("receive", sampleOf("python", store, port)));
      expect(outcome).toMatchObject(RECEIVED);
    });
  });
});

it("docs/one-click.md: ethers, viem and a wallet's provider sign the same", async () => {
  const deadline = Math.floor(Date.now() / 1000) + 600;
  const prepared = await partner.must(
    partner.post<DelegationPayload>("/1ct/prepare", { userAddress: key.userAddress, deadline }),
  );
  const user = present(
    state.users.find(({ address }) => address === key.userAddress),
    "the bound user",
  );
  const scope = {
    prepared,
    signer: new Wallet(user.privateKey),
    account: privateKeyToAccount(user.privateKey as Hex),
    // The sandbox's node holds the user's key, as a wallet does.
    provider: createClient({ transport: http(chain.rpcUrl) }),
    userAddress: user.address,
  };
  const blocks = blocksOf("docs/one-click.md", "js");
  const signatures = await Promise.all(
    blocks.map((block) => {
      const run = `return (async () => { let signature; ${block}; return signature; })()`;
      return new Function(...Object.keys(scope), run)(...Object.values(scope));
    }),
  );
  expect(signatures).toHaveLength(3);
  expect(new Set(signatures)).toEqual(new Set([canary("user's signature", signatures[0])]));
  const { types } = prepared.typedData;
  expect(prepared.typedData).toEqual({
    ...prepared.signPayload,
    types: { ...prepared.signPayload.types, EIP712Domain: types.EIP712Domain },
  });
});

it("docs/SANDBOX.md: makes a key, and pins a price", async () => {
  const commands = blocksOf("docs/SANDBOX.md", "sh");
  const printed = await type([`CONTROL=${state.controlUrl}`, ...commands].join("\n"));
  await createControl(state.controlUrl).post("/price", { symbol: "AAPL", price: null });
  const [, secret = ""] = /(sk_\w+)/.exec(printed) ?? [];
  canary("API secret", secret);
  expect(printed).toMatch(/pk_\w+/);
  expect(printed).toContain('"180.5"');
});
