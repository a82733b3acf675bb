import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { runProgram } from "../../packages/client/test/examples.ts";
import { present } from "../support/assert/until.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** The packages of the clients, as a partner installs them from a deployment: into an empty folder, and from nowhere else. */
const state = readSandboxState();
const folder = mkdtempSync(join(tmpdir(), "client-packages-"));
const urlOf = (name: string) => `${state.baseUrl}/docs/clients/${name}`;
/** Neither npm nor pip reads or keeps anything of the user. */
const home = { HOME: folder };
let sums: Map<string, string>;

beforeAll(async () => {
  const text = await (await fetch(urlOf("SHA256SUMS"))).text();
  const lines = text.trim().split("\n");
  sums = new Map(lines.map((line) => line.split("  ").reverse() as [name: string, sum: string]));
});
afterAll(() => rmSync(folder, { recursive: true }));

const named = (ending: string) =>
  present(
    [...sums.keys()].find((name) => name.endsWith(ending)),
    ending,
  );
const key = present(state.keys[0], "a key");
const credentials = {
  PARTNER_TRADING_BASE_URL: state.baseUrl,
  PARTNER_TRADING_API_KEY: key.apiKey,
  PARTNER_TRADING_API_SECRET: key.apiSecret,
  PARTNER_TRADING_CHAIN_ID: String(key.chainId),
  PARTNER_TRADING_PRODUCT: key.productType,
};
/** The last line is an error of types: mypy reports a comment that ignores none. */
const PYTHON_SAMPLE = `from typing import Optional

from partner_trading import PartnerTrading, __version__

trading = PartnerTrading()
print(__version__)
print(trading.api.key.get()["apiKey"])
print(trading.api.prices.get("aapl")["basicInfo"]["symbol"])


def trade(client: PartnerTrading) -> Optional[str]:
    client.api.orders.send({"symbol": "AAPL", "side": "Buy", "type": "Market", "notional": "100", "deadline": 1924992000})
    for order in client.api.orders.list({"status": "Filled", "limit": 5})["rows"]:
        ended = order["historyOrder"]
        return ended["averageFillPrice"] if ended else None
    return client.api.orders.list()["rows"][0]["status"]


def mistake(client: PartnerTrading) -> None:
    client.api.cash_deposits.send({"tokenAddress": "0x", "tokenAmount": 1})  # type: ignore[typeddict-item]
`;
const script = `
const trading = new PartnerTrading({ baseUrl: "${state.baseUrl}", apiKey: "a", apiSecret: "b", chainId: 1, productType: "c" });
console.log(typeof trading.orders.send);`;

it("are listed with their hashes, and never change", async () => {
  expect([...sums.keys()]).toEqual([
    expect.stringMatching(/^partner-trading-\d+\.\d+\.\d+\.tgz$/),
    expect.stringMatching(/^partner_trading-\d+\.\d+\.\d+-py3-none-any\.whl$/),
    expect.stringMatching(/^partner-trading-mcp-\d+\.\d+\.\d+\.tgz$/),
  ]);
  for (const [name, sum] of sums) {
    const answer = await fetch(urlOf(name));
    const hash = createHash("sha256").update(Buffer.from(await answer.arrayBuffer()));
    expect({ name, sum: hash.digest("hex"), kept: answer.headers.get("cache-control") }).toEqual({
      name,
      sum,
      kept: "public, max-age=31536000, immutable",
    });
  }
});

it("are installed by npm from their address, and run", async () => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const options = ["--no-audit", "--no-fund", "--prefix", folder];
  await runProgram("npm", ["install", ...options, urlOf(named(".tgz"))], home);
  expect(readdirSync(join(folder, "node_modules/partner-trading")).sort()).toEqual(
    ["LICENSE", "README.md", "bin.mjs", "dist", "package.json"].sort(),
  );
  writeFileSync(join(folder, "use.js"), `import { PartnerTrading } from "partner-trading";${script}`);
  expect(await runProgram(process.execPath, [join(folder, "use.js")], {})).toBe("function\n");
});

describeWhere("pip", "the wheel", () => {
  const target = join(folder, "python");
  const sample = join(folder, "sample.py");

  it("is installed by pip from its address, and runs", async () => {
    const options = ["--no-index", "--no-deps", "--disable-pip-version-check", "--quiet", "--target", target];
    await runProgram("python3", ["-m", "pip", "install", ...options, urlOf(named(".whl"))], home);
    writeFileSync(sample, PYTHON_SAMPLE);
    const printed = await runProgram("python3", [sample], { PYTHONPATH: target, ...credentials });
    const [version, apiKey, symbol] = printed.trim().split("\n");
    expect(named(".whl")).toContain(`-${version}-`);
    expect([apiKey, symbol]).toEqual([key.apiKey, "AAPL"]);
  });

  describeWhere("mypy", "and its types", () => {
    it("are strict, in the package and for its users", async () => {
      const printed = await runProgram("mypy", ["--strict", "--cache-dir=/dev/null", sample], {
        MYPYPATH: target,
      });
      expect(printed).toContain("no issues found");
    });
  });
});
