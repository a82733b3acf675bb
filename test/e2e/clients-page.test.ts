import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { ROOT } from "../../src/config/root.ts";
import { present } from "../support/assert/until.ts";
import { createPartner } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { blocksOf, readBlocks } from "../support/program/markdown.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** Runs every block of docs/clients.md, to the letter, against the sandbox. */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const folder = mkdtempSync(join(tmpdir(), "clients-page-"));
const PAGE = "docs/clients.md";

const [credentials = "", ...commands] = blocksOf(PAGE, "sh");
const commandsWith = (program: string) => commands.filter((text) => text.includes(program));

/** Runs shell lines as a reader types them, below the line that sets the credentials. */
async function type(lines: string): Promise<string> {
  const env = {
    PATH: `${ROOT}node_modules/.bin:${process.env.PATH}`,
    HOME: process.env.HOME,
    SANDBOX_DIR: dirname(present(process.env.E2E_STATE_FILE, "the sandbox's state")),
    PYTHONPATH: `${ROOT}src/client/python`,
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const script = `set -e\n${credentials}\n${lines}`;
  return (await promisify(execFile)("/bin/sh", ["-c", script], { cwd: ROOT, env, timeout: 120_000 })).stdout;
}

beforeAll(() => ensureDelegation(createPartner(state.baseUrl, key), state));
afterAll(() => rmSync(folder, { recursive: true }));

it("has no block that this file does not run", () => {
  const languages = readBlocks(PAGE).map(({ language }) => language);
  expect(languages.filter((language) => !["sh", "ts", "python"].includes(language))).toEqual([]);
  const run = ["curl.sh", "go run", "newman run"].flatMap(commandsWith);
  expect(run.sort()).toEqual([...commands].sort());
});

it("TypeScript: buys, and waits until the order is filled", async () => {
  const [block = ""] = blocksOf(PAGE, "ts");
  const file = join(folder, "sample.mts");
  writeFileSync(file, block.replace('"partner-trading"', `"${ROOT}src/client/index.ts"`));
  expect(await type(`node --import tsx ${file}`)).toMatch(/^AAPL is at [\d.]+\nbought at [\d.]+\n$/);
});

it("Postman: newman runs a folder of the collection", async () => {
  expect(await type(commandsWith("newman run").join("\n"))).toContain("The signature is accepted");
});

describeWhere("python3", "docs/clients.md in Python", () => {
  it("buys, reads pages, follows events, and verifies a webhook", async () => {
    const secret = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`;
    const body = '{"type":"order.filled"}';
    const sentAt = new Date();
    const headers = {
      "webhook-id": "d-1",
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("d-1", sentAt, body),
    };
    const file = join(folder, "sample.py");
    const test = [
      "store = print",
      `headers = ${JSON.stringify(headers)}`,
      `print(receive(headers, b'${body}'), receive(headers, b'${body} '))`,
    ];
    writeFileSync(file, [...blocksOf(PAGE, "python"), ...test].join("\n"));
    const printed = await type(`WEBHOOK_SECRET=${secret} python3 -W error ${file}`);
    expect(printed).toMatch(/^AAPL is at [\d.]+\nbought at [\d.]+\n(0x\w{64} [\d.]+\n)+/);
    expect(printed).toMatch(/^order\.filled \S+\nd-1 \{'type': 'order\.filled'\}\n204 400\n$/m);
  });
});

describeWhere("openssl", "docs/clients.md in a shell", () => {
  it("lists orders, and builds a transaction", async () => {
    const answers = (await type(commandsWith("curl.sh").join("\n"))).trim().split("\n");
    expect(answers.map((text) => JSON.parse(text).code)).toEqual([200, 200]);
  });
});

describeWhere("go", "docs/clients.md in Go", () => {
  it("runs the example", async () => {
    expect(await type(commandsWith("go run").join("\n"))).toContain("bytes of calldata");
  });
});
