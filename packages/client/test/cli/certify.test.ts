import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../../../../src/config/root.ts";
import { partnerCommand } from "../../../../test/support/program/partner-command.ts";
import { startProgram, type Task } from "../../src/cli/certify/program.ts";
import { type FaultProxy, startProxy } from "../../src/cli/certify/proxy.ts";
import { judgedRules } from "../../src/cli/certify/report.ts";
import { finding, RULE_IDS, RULES } from "../../src/cli/certify/rules.ts";
import { SCENARIOS, type ScenarioName } from "../../src/cli/certify/run.ts";
import * as lists from "../../src/cli/certify/scenarios/lists.ts";
import * as orders from "../../src/cli/certify/scenarios/orders.ts";
import * as rotation from "../../src/cli/certify/scenarios/rotation.ts";
import * as streams from "../../src/cli/certify/scenarios/streams.ts";
import * as webhooks from "../../src/cli/certify/scenarios/webhooks.ts";

/** Scenarios by the task that they give a program: each of these modules starts one task alone. */
const TASKS: Readonly<Record<Task, object>> = {
  order: orders,
  follow: streams,
  webhook: webhooks,
  list: lists,
  rotate: rotation,
};

/** Rules that no scenario shows alone. */
const GENERAL = RULE_IDS.slice(0, 5);

describe("docs/certification.md", () => {
  const text = readFileSync(`${ROOT}docs/certification.md`, "utf8");
  /** Returns the entries of a section's list, one a line. */
  const listBelow = (heading: string) => {
    const [, section = ""] = text.split(`\n## ${heading}\n`);
    const entries = section.split("\n## ")[0]?.match(/^- .*(?:\n {2}.*)*/gm) ?? [];
    return entries.map((entry) => entry.replaceAll("\n ", ""));
  };

  it("lists every rule by the section of the guide that states it", () => {
    const listed = listBelow("Rules").map((entry) => {
      const [, path = "", names = ""] = /^- \[[\w ]+\]\(([\w.#-]+)\): (.+)$/.exec(entry) ?? [];
      return [`docs/${path}`, names.split(", ")];
    });
    const guides = new Map<string, string[]>();
    for (const id of RULE_IDS) {
      const { guide } = RULES[id];
      guides.set(guide, [...(guides.get(guide) ?? []), `\`${id}\``]);
    }
    // As lists: an object would keep the last of two entries of one section.
    expect(listed.sort()).toEqual([...guides].sort());
  });

  it("names the rules that every request is judged by", () => {
    const names = GENERAL.map((id) => `\`${id}\``).join(", ");
    expect(text.replaceAll("\n", " ").replaceAll("` and `", "`, `")).toContain(
      `${names} are judged by every request`,
    );
  });

  it("lists every scenario with the task that its program is given", () => {
    const listed = listBelow("Scenarios").map((entry) => {
      const [, task = "", names = ""] = /^- `(\w+)`: (.+)$/.exec(entry.replaceAll(/ \([^)]*\)/g, "")) ?? [];
      return [task, names.replaceAll("`", "").split(", ")];
    });
    const wanted = Object.entries(TASKS).map(([task, scenarios]) => {
      const given: readonly unknown[] = Object.values(scenarios);
      return [task, Object.keys(SCENARIOS).filter((name) => given.includes(SCENARIOS[name as ScenarioName]))];
    });
    expect(listed.sort()).toEqual(wanted.sort());
    expect(wanted.flatMap(([, names]) => names).sort()).toEqual(Object.keys(SCENARIOS).sort());
    expect(
      listBelow("Tasks")
        .map((entry) => /^- `(\w+)`: /.exec(entry)?.[1])
        .sort(),
    ).toEqual(Object.keys(TASKS).sort());
  });
});

it("shows each rule in one scenario, or in all requests", () => {
  const shown = Object.values(SCENARIOS).flatMap(({ rules }) => rules);
  expect([...GENERAL, ...shown].sort()).toEqual([...RULE_IDS].sort());
});

it("shows no secret in a report", () => {
  const findings = { signed: finding(false, "sent sk_1 and sk_2") };
  const [rule] = judgedRules(findings, ["sk_1", "sk_2"]);
  expect(rule).toMatchObject({ verdict: "broken", evidence: ["sent <secret> and <secret>"] });
});

it.each([
  [["--scenario", "lost", "--", "bot"], 'There is no scenario "lost". The scenarios are lost-answers,'],
  [["--timeout", "soon", "--", "bot"], '--timeout is a whole number from 1 to 999999, not "soon".'],
  [["--chain-id", "0", "--", "bot"], '--chain-id is a whole number from 1 to 999999, not "0".'],
  [["--", "bot"], "There is no sandbox here"],
])("says what is wrong with a command line: %j", async (args, message) => {
  expect(await partnerCommand(["certify", ...args])).toMatchObject({
    code: 1,
    err: expect.stringContaining(message),
  });
});

it("takes a program", async () => {
  expect(await partnerCommand(["certify"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("missing required argument 'command'"),
  });
});

describe("a program", () => {
  const run = (script: string, timeoutMs = 60_000) =>
    startProgram(
      {
        command: [process.execPath, "-e", script],
        baseUrl: "http://127.0.0.1:1",
        key: { apiKey: "pk", apiSecret: "sk", chainId: 1, productType: "Stocks" },
        env: { PATH: process.env.PATH },
        cwd: tmpdir(),
        timeoutMs,
        signal: new AbortController().signal,
      },
      "list",
      { query: { limit: 2 } },
    ).ended;

  it("gets key, address, task and input, and answers with its last line", async () => {
    const script = `console.log("starting"); console.log(JSON.stringify({ ...process.env }))`;
    expect((await run(script)).result).toMatchObject({
      PARTNER_TRADING_BASE_URL: "http://127.0.0.1:1",
      PARTNER_TRADING_API_KEY: "pk",
      PARTNER_TRADING_API_SECRET: "sk",
      PARTNER_TRADING_CHAIN_ID: "1",
      PARTNER_TRADING_PRODUCT: "Stocks",
      CERTIFY_TASK: "list",
      CERTIFY_INPUT: '{"query":{"limit":2}}',
    });
  });

  it.each([
    ["fails", "console.error('no route'); process.exit(3)", "it ended with code 3: no route"],
    ["prints no JSON", "console.log('done')", "its last line is no JSON object: done"],
    ["prints no object", "console.log('[1]')", "its last line is no JSON object: [1]"],
  ])("that %s has no result", async (_what, script, reason) => {
    expect(await run(script)).toMatchObject({ result: null, reason });
  });

  it("that does not end is ended, with what it started", async () => {
    const script = "require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' })";
    // Its output ends with the last process that holds it.
    expect(await run(script, 500)).toMatchObject({ reason: "it had not ended after 0.5 s" });
  });
});

describe("the proxy", () => {
  const asked: string[] = [];
  const service = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["x-api-sign"]}`);
    if (request.url?.startsWith("/api/v1/events/stream")) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.end("id: 1\nevent: one\ndata: {}\n\nid: 2\nevent: two\ndata: {}\n\n");
    }
    response.end(JSON.stringify({ code: 200, errMsg: "", data: {}, uuid: "u1", t: 1 }));
  });
  let proxy: FaultProxy;
  const get = (path: string) => fetch(proxy.url + path, { headers: { "x-api-sign": "s" } });

  beforeAll(async () => {
    await new Promise<void>((resolve) => void service.listen(0, "127.0.0.1", resolve));
    proxy = await startProxy(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
  });
  afterAll(async () => {
    await proxy.close();
    service.close();
  });

  it("passes a request as it came", async () => {
    expect(await (await get("/api/v1/key?a=%20")).json()).toMatchObject({ uuid: "u1" });
    expect(asked.at(-1)).toBe("GET /api/v1/key?a=%20 s");
    expect(proxy.exchanges.at(-1)).toMatchObject({ uri: "/api/v1/key?a=%20", fault: null, status: 200 });
  });

  it.each(["drop", "cut"] as const)("loses an answer that the service gave: %s", async (kind) => {
    proxy.setFaults(() => ({ kind }));
    const answer = get("/api/v1/key").then((response) => response.text());
    await expect(answer).rejects.toThrow();
    expect(asked.at(-1)).toBe("GET /api/v1/key s");
  });

  it("answers without the service", async () => {
    const count = asked.length;
    proxy.setFaults(() => ({ kind: "answer", status: 429, headers: { "retry-after": "3" }, body: "{}" }));
    const response = await get("/api/v1/key");
    expect([response.status, response.headers.get("retry-after"), asked.length]).toEqual([429, "3", count]);
  });

  it("ends a stream after a frame", async () => {
    proxy.setFaults(() => ({
      kind: "stream",
      fault: ({ text, id }) => ({ send: [`${text}\n\n`, `: ${id}\n\n`], connection: "end" }),
    }));
    expect(await (await get("/api/v1/events/stream")).text()).toBe("id: 1\nevent: one\ndata: {}\n\n: 1\n\n");
  });
});
