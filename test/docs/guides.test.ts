import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "@jest/globals";
import ts from "typescript";
import { parse } from "yaml";
import { verifyWebhook } from "../../packages/client/src/index.ts";
import { parseSandboxEnv } from "../../packages/sandbox/src/env.ts";
import { ROOT } from "../../src/config/root.ts";
import { GUIDES } from "../../src/http/pages/guides.ts";
import { faultsOf, operationOf } from "../support/http/openapi.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { blocksOf, readBlocks } from "../support/program/markdown.ts";
import { createSampleFolder } from "../support/program/samples.ts";

/** The code of the guides: what needs no service is run here, and shapes are compared with the OpenAPI document. */
const HERE = "test/docs/guides.test.ts";
const PAGES = "test/e2e/pages.test.ts";
const PACKAGE = "test/faults/sandbox-package.long.test.ts";
const CERTIFY = "test/e2e/certify.test.ts";
const COMMANDS = "test/e2e/partners-command.test.ts";

/** Test that runs or checks the blocks of a guide in a language, beside `http` and `ts`, which are checked here. */
const RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/quick-start.md": { sh: PAGES, ts: PAGES, python: PAGES },
  "docs/authentication.md": { sh: HERE, ts: HERE, python: HERE, text: HERE },
  "docs/clients.md": { sh: PAGES, python: PAGES },
  "docs/cli.md": { console: COMMANDS },
  "docs/SANDBOX.md": { sh: PAGES, ts: PACKAGE, text: PACKAGE, yaml: HERE },
  "docs/certification.md": { sh: CERTIFY },
  "docs/one-click.md": { js: PAGES },
  "docs/webhooks.md": { sh: HERE, ts: PAGES, python: PAGES },
  "packages/client/README.md": {
    sh: "packages/client/test/pack.integration.test.ts",
    ts: "packages/client/test/pack.integration.test.ts",
  },
  "packages/mcp/README.md": {
    sh: "packages/mcp/test/pack.integration.test.ts",
    json: "packages/mcp/test/pack.integration.test.ts",
  },
};

const run = promisify(execFile);
const folder = createSampleFolder();
afterAll(() => folder.remove());

it("the code of every guide is run or checked by a test that names the guide", () => {
  const unchecked = GUIDES.flatMap(({ file }) =>
    readBlocks(file)
      .filter(({ language }) => {
        const test = language === "http" ? HERE : RUN[file]?.[language];
        return test === undefined || (test !== HERE && !readFileSync(ROOT + test, "utf8").includes(file));
      })
      .map(({ language }) => `${file}: ${language}`),
  );
  expect(unchecked).toEqual([]);
});

it("the services of docs/SANDBOX.md are allowed the name by which their job reaches them, at the port of the image", () => {
  const blocks = readBlocks("docs/SANDBOX.md").filter(({ language }) => language === "yaml");
  const [actions, gitlab] = blocks.map(({ text }) => parse(text));
  const { services, env } = actions.jobs.test;
  const [service] = gitlab.test.services;
  const named = [
    { name: Object.keys(services)[0], variables: services.sandbox.env, url: env.PARTNER_TRADING_SANDBOX },
    { name: service.alias, variables: service.variables, url: gitlab.test.variables.PARTNER_TRADING_SANDBOX },
  ];
  const port = /SANDBOX_CONTROL_PORT=(\d+)/.exec(
    readFileSync(`${ROOT}deploy/sandbox.Dockerfile`, "utf8"),
  )?.[1];
  for (const { name, variables, url } of named) {
    expect(parseSandboxEnv(variables).SANDBOX_ALLOWED_HOSTS).toEqual([name]);
    expect(url).toBe(`http://${name}:${port}`);
  }
});

it("code has a language, so that it is found", () => {
  const without = GUIDES.flatMap(({ file }) => {
    const fences = readFileSync(ROOT + file, "utf8").match(/^ *```.*$/gm) ?? [];
    return fences
      .filter((fence, index) => index % 2 === 0 && !/^```\w+$/.test(fence))
      .map((fence) => `${file}: ${fence}`);
  });
  expect(without).toEqual([]);
});

describe("requests and answers", () => {
  const examples = GUIDES.flatMap(({ file }) => blocksOf(file, "http").map((text) => ({ file, text })));
  const calls = examples.filter(({ text }) => / \/api\/v1\//.test(text));

  it.each(calls)("are as the OpenAPI document has them: $file", ({ text }) => {
    const [request = "", answer = ""] = text.split("\nHTTP/1.1 ");
    const [, method = "", path = "", sent = ""] = /^(\w+) (\S+)\n(.*)$/s.exec(request) ?? [];
    const met = operationOf(method, path);
    expect(met).not.toBeNull();
    const operation = met?.operation.pointer ?? "";
    const response = `${operation}/responses/${answer.slice(0, 3)}`;
    const body = answer.slice(answer.indexOf("\n\n"));
    const faults = [
      ...(sent.trim() === ""
        ? []
        : faultsOf(`${operation}/requestBody/content/application~1json/schema`, JSON.parse(sent))),
      ...(answer.includes("text/event-stream")
        ? streamFaults(body)
        : faultsOf(`${response}/content/application~1json/schema`, JSON.parse(body))),
    ];
    expect(faults).toEqual([]);
  });

  it("are some", () => expect(calls.length).toBeGreaterThanOrEqual(4));
});

/** Returns what is wrong with the events of a stream. */
function streamFaults(text: string): string[] {
  const events = [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, type = "", data = ""]) => ({
    type,
    data: JSON.parse(data),
  }));
  return events.flatMap(({ type, data }) => {
    if (type === "heartbeat") return heartbeatFaults(data);
    if (type === "status") return Object.keys(data).join() === "session,stale,t" ? [] : ["not a status"];
    if (type === "price") return faultsOf("#/components/schemas/ListedPrice", data);
    return eventFaults(type, data);
  });
}

const heartbeatFaults = (data: object): string[] =>
  Object.keys(data).join() === "indexedBlock,t" ? [] : ["not a heartbeat"];

function eventFaults(type: string, event: { type: string; data: unknown }): string[] {
  const known: Readonly<Record<string, string>> = { "delegation.enabled": "Delegation" };
  return [
    ...faultsOf("#/components/schemas/Event", event),
    ...faultsOf(`#/components/schemas/${known[type] ?? "none"}`, event.data),
    ...(event.type === type ? [] : ["another type"]),
  ];
}

describe("docs/authentication.md", () => {
  const PAGE = "docs/authentication.md";
  interface Vector {
    payload: string;
    sign: string;
  }
  const { secret, cases }: { secret: string; cases: Vector[] } = JSON.parse(
    readFileSync(`${ROOT}docs/signing-vectors.json`, "utf8"),
  );
  const shown = blocksOf(PAGE, "text").map((text) => {
    const found = cases.find(({ payload }) => `${payload}\n` === text);
    if (!found) throw new Error(`no test vector signs ${text}`);
    return found.sign;
  });
  const printed = `${shown.join("\n")}\n`;

  it("shows payloads of the test vectors, with their secret and signatures", () => {
    const text = readFileSync(ROOT + PAGE, "utf8");
    expect(shown).toHaveLength(2);
    for (const value of [secret, ...shown]) expect(text).toContain(`\`${value}\``);
  });

  it("TypeScript prints the signatures", async () => {
    const [program = "", ...args] = await folder.typescript("sign", blocksOf(PAGE, "ts").join("\n"));
    expect((await run(program, args)).stdout).toBe(printed);
  });

  describeWhere("openssl", "a shell", () => {
    it("prints the signatures", async () => {
      expect((await run("/bin/sh", ["-c", blocksOf(PAGE, "sh").join("\n")])).stdout).toBe(printed);
    });
  });

  describeWhere("python3", "Python", () => {
    it("prints the signatures", async () => {
      const [program = "", ...args] = folder.python("sign", blocksOf(PAGE, "python").join("\n"));
      expect((await run(program, args)).stdout).toBe(printed);
    });
  });
});

describe("docs/webhooks.md", () => {
  const PAGE = "docs/webhooks.md";
  const delivery = blocksOf(PAGE, "http").find((text) => text.startsWith("POST /hooks/")) ?? "";
  const [head = "", body = ""] = delivery.trim().split("\n\n");
  const headers = Object.fromEntries(
    head
      .split("\n")
      .slice(1)
      .map((line) => line.split(": ")),
  );
  const [, secret = ""] = /"secret": "(whsec_\w+)"/.exec(readFileSync(ROOT + PAGE, "utf8")) ?? [];

  it("shows a delivery whose signature is right, and an event as the document has it", async () => {
    const toleranceSeconds = Number.POSITIVE_INFINITY;
    expect(await verifyWebhook(secret, headers, body, { toleranceSeconds })).toEqual(JSON.parse(body));
    expect(eventFaults("delegation.enabled", JSON.parse(body))).toEqual([]);
    const other = { ...headers, "webhook-timestamp": "1795226401" };
    await expect(verifyWebhook(secret, other, body, { toleranceSeconds })).rejects.toThrow();
  });

  describeWhere("openssl", "a shell", () => {
    it("prints the signature of the delivery", async () => {
      const cwd = mkdtempSync(join(tmpdir(), "webhook-"));
      writeFileSync(join(cwd, "body"), body);
      const { stdout } = await run("/bin/sh", ["-c", blocksOf(PAGE, "sh").join("\n")], { cwd });
      rmSync(cwd, { recursive: true });
      expect(`v1,${stdout.trim()}`).toBe(headers["webhook-signature"]);
    });
  });
});

/** Names that samples use and do not declare: of a reader's own program, or of the sample before. */
const GIVEN = `
type Input = import("partner-trading").OrdersSendInput;
declare const trading: import("partner-trading").PartnerTrading;
declare const input: Input;
declare const userAddress: string, orderId: string, tokenAddress: string, rawBody: string;
declare const request: { headers: Record<string, string> };
declare function deposit(): Promise<void>;
declare function store(id: unknown, event: unknown): Promise<void>;
`;

it("TypeScript in the guides passes the compiler against the client", () => {
  const blocks = GUIDES.flatMap(({ file }) =>
    blocksOf(file, "ts").map((text, index) => ({
      name: `${ROOT}${file}.${index}.ts`,
      text: `${text}\nexport {};\n`,
    })),
  );
  const sources = new Map([
    ...blocks.map(({ name, text }) => [name, text] as const),
    [`${ROOT}given.d.ts`, GIVEN],
  ]);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    esModuleInterop: true,
    types: ["node"],
    paths: {
      "partner-trading": [`${ROOT}packages/client/src/index.ts`],
      "partner-trading-sandbox": [`${ROOT}packages/sandbox/src/fixture/index.ts`],
    },
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile;
  const exists = host.fileExists;
  host.readFile = (path) => sources.get(path) ?? read(path);
  host.fileExists = (path) => sources.has(path) || exists(path);
  host.getSourceFile = (path, version) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  const faults = blocks.flatMap(({ name }) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(
        ({ messageText, start }) => `${name} ${start}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
      ),
  );
  expect(blocks.length).toBeGreaterThan(10);
  expect(faults).toEqual([]);
});
