import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { build } from "esbuild";
import { z } from "zod";
import { ROOT } from "../../../src/config/root.ts";

/** The package as a partner gets it: packed, installed into an empty project without a network, compiled there and run. */
const run = promisify(execFile);
const project = mkdtempSync(join(tmpdir(), "client-package-"));
const installed = join(project, "node_modules/partner-trading");

const SAMPLE = `
import { ApiError, isOrderEvent, type Order, PartnerTrading, verifyWebhook } from "partner-trading";

export async function trade(trading: PartnerTrading): Promise<string | undefined> {
  const { rows, total, nextCursor } = await trading.orders.list({ status: "New", limit: 20 });
  const first: Order | undefined = rows[0];
  const many: number | null = total;
  const cursor: string | null = nextCursor;
  for await (const order of trading.orders.list({ status: "New" })) {
    const price: string | null | undefined = order.openOrder?.price;
    if (price) return price;
  }
  for await (const event of trading.events.stream({ types: ["order.*", "send.failed"] })) {
    if (isOrderEvent(event)) return event.data.status;
  }
  const sent = await trading.orders.send(
    { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline: 1924992000 },
    { idempotencyKey: "mine", signal: new AbortController().signal },
  );
  const filled = await trading.orders.waitFor(sent, ["Filled", "Partial filled"], { timeoutMs: 1000 });
  const { data, indexedBlock } = await trading.prices.history("AAPL", { interval: "1d" }).withMeta();
  const close: string | null | undefined = data[0]?.close;
  const quantity: string | undefined = filled.historyOrder?.fills[0]?.quantity;
  await verifyWebhook(["whsec_AAAA"], new Headers(), new Uint8Array());
  // @ts-expect-error: an amount is a string.
  await trading.orders.send({ symbol: "AAPL", side: "Buy", type: "Market", notional: 100, deadline: 1924992000 });
  // @ts-expect-error: no such side.
  await trading.orders.calldata({ symbol: "AAPL", side: "Hold", type: "Market", deadline: 1924992000 });
  // @ts-expect-error: no such filter.
  await trading.orders.list({ state: "New" });
  // @ts-expect-error: the order's id is missing.
  await trading.orders.get();
  return first?.orderId ?? quantity ?? close ?? cursor ?? String([many, indexedBlock]);
}

export const isBalance = (error: unknown) => error instanceof ApiError && error.errCode === "BALANCE_INSUFFICIENT";
`;

/** Declarations that a block uses from earlier ones. */
const DECLARED = `
declare const trading: import("partner-trading").PartnerTrading;
declare const input: import("partner-trading").OrdersSendInput;
declare const [orderId, userAddress, tokenAddress, rawBody]: [string, string, string, Uint8Array];
declare const request: import("node:http").IncomingMessage;
declare function deposit(): Promise<void>;
`;

/** The TypeScript of the package's README, a module for each block. */
const README = [
  ...readFileSync(join(ROOT, "packages/client/README.md"), "utf8").matchAll(/```ts\n(.*?)```/gs),
].map(([, block = ""]) => `${block.includes("new PartnerTrading(") ? "" : DECLARED}${block}\nexport {};\n`);
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
  target: "ES2022",
};

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], {
    cwd: join(ROOT, "packages/client"),
  });
  // Scripts that run before it print, too.
  const [{ filename }] = z
    .tuple([z.object({ filename: z.string() })])
    .parse(JSON.parse(stdout.slice(stdout.indexOf("[\n"))));
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  writeFileSync(join(project, "sample.ts"), SAMPLE);
  for (const [index, module] of README.entries()) writeFileSync(join(project, `readme-${index}.ts`), module);
  const install = ["install", "--offline", "--no-audit", "--no-fund", join(project, filename)];
  await run("npm", install, { cwd: project });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Compiles the sample; throws with the compiler's messages where it does not fit. */
async function check(files: readonly string[], options: Record<string, unknown>): Promise<void> {
  const file = join(project, `tsconfig.${options.moduleResolution}.json`);
  const compilerOptions = { ...STRICT, ...options };
  writeFileSync(file, JSON.stringify({ compilerOptions, files }));
  await run(join(ROOT, "node_modules/.bin/tsgo"), ["-p", file]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}

const LIBRARY = ["js", "d.ts"].map((ending) => `dist/packages/client/src/index.${ending}`);

describe("the packed client library", () => {
  it("has what it needs and nothing else: no dependency, no source, no tests", () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(manifest).toMatchObject({
      name: "partner-trading",
      version,
      dependencies: {},
      sideEffects: false,
    });
    expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "partner-trading",
    ]);
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["README.md", "LICENSE", ...LIBRARY]));
    expect(files.filter((name) => /(?<!\.d)\.ts$|test|\.py$/.test(name))).toEqual([]);
    const libraryFiles = files.filter((name) => /^dist\/(packages|src)\/.*\.js$/.test(name));
    const imports = libraryFiles.flatMap((name) =>
      [...readFileSync(join(installed, name), "utf8").matchAll(/ from "([^"]+)"/g)].map(([, from]) => from),
    );
    expect(imports.length).toBeGreaterThan(10);
    expect(imports.filter((from) => !/^\.\.?\/.*\.js$/.test(from ?? ""))).toEqual([]);
  });

  it("type-checks under strict settings, for Node.js without the types of a browser, with every sample of its README", async () => {
    const types = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
    expect(README.length).toBeGreaterThan(8);
    const files = ["sample.ts", ...README.map((_module, index) => `readme-${index}.ts`)];
    await check(files, { module: "nodenext", moduleResolution: "nodenext", lib: ["ES2023"], ...types });
  });

  it("type-checks under strict settings, for a bundler without the types of Node.js", async () => {
    const lib = ["ES2023", "DOM", "DOM.Iterable"];
    await check(["sample.ts"], { module: "esnext", moduleResolution: "bundler", lib, types: [] });
  });

  it("runs in plain Node.js, and has the command", async () => {
    const script = 'import * as all from "partner-trading"; console.log(Object.keys(all).sort().join())';
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: project });
    expect(stdout.trim().split(",")).toEqual([
      "ApiError",
      "AuthenticationError",
      "ConnectionError",
      "OrderEndedError",
      "PartnerTrading",
      "PartnerTradingError",
      "TimeoutError",
      "WebhookVerificationError",
      "isOrderEvent",
      "verifyWebhook",
    ]);
    const command = await run(join(project, "node_modules/.bin/partner-trading"), ["--version"], {
      cwd: project,
    });
    expect(command.stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("says how to install the server for models, which it has not", async () => {
    const mcp = run(join(project, "node_modules/.bin/partner-trading"), ["mcp"], {
      cwd: project,
      env: { PATH: process.env.PATH, PARTNER_TRADING_BASE_URL: "https://trading.example" },
    });
    await expect(mcp).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "npm install https://trading.example/docs/clients/partner-trading-mcp-",
      ),
    });
  });

  it("leaves out of a bundle what is not imported", async () => {
    const bundleOf = async (contents: string) => {
      const stdin = { contents, resolveDir: project };
      const common = { bundle: true, write: false, minifySyntax: true, minifyWhitespace: true } as const;
      const { outputFiles } = await build({ stdin, format: "esm", platform: "browser", ...common });
      return outputFiles[0]?.text ?? "";
    };
    const whole = await bundleOf('export { PartnerTrading } from "partner-trading"');
    expect(whole).toContain("OrdersMethods");
    const verify = await bundleOf('export { verifyWebhook } from "partner-trading"');
    expect(verify).toContain("WebhookVerificationError");
    expect(verify).not.toMatch(/OrdersMethods|Transport|x-api-sign/);
    expect(verify.length).toBeLessThan(whole.length / 5);
  });
});
