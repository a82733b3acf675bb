import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "../../../../src/config/root.ts";
import { environmentOf, partnerCommand } from "../../../../test/support/program/partner-command.ts";

it("has the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "packages/client/package.json"), "utf8"));
  expect(await partnerCommand(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

it.each(["call", "sign", "listen", "prices", "certify", "init", "mcp", "sandbox", "completion"])(
  "helps with examples: %s",
  async (name) => {
    const { code, out } = await partnerCommand([name, "--help"]);
    const usage = new RegExp(
      `Usage: partner-trading ${name}[\\s\\S]*Examples:\n  \\$ .*partner-trading ${name}`,
    );
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(usage) });
  },
);

it("tells a wrong command line by its exit code", async () => {
  expect(await partnerCommand(["cal"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("unknown command 'cal'"),
  });
  expect(await partnerCommand(["call", "GET"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("missing required argument 'path'"),
  });
});

it("completes commands and options in bash", async () => {
  const { out } = await partnerCommand(["completion", "bash"]);
  const complete = (words: string[]) =>
    execFileSync(
      "bash",
      [
        "-c",
        `${out}\nCOMP_WORDS=(partner-trading ${words.join(" ")}); COMP_CWORD=${words.length}
      _partner_trading partner-trading ${words.at(-1)}; echo "\${COMPREPLY[@]}"`,
      ],
      { encoding: "utf8" },
    ).trim();
  expect(complete(["si"])).toBe("sign");
  expect(complete(["sign", "--ex"])).toBe("--explain");
  expect(complete(["call", "PO"])).toBe("POST");
  expect(complete(["sandbox", "ou"])).toBe("outage");
});

describe("an answer", () => {
  let idempotencyKey: unknown;
  /** Runs `call` against a server with one fixed answer. */
  async function call(status: number, headers: Record<string, string>, body: string, ...args: string[]) {
    const server = createServer((request, response) => {
      idempotencyKey = request.headers["idempotency-key"];
      response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const key = { apiKey: "pk", apiSecret: "sk_test_5f1d9c0b", chainId: 1, productType: "Stocks" };
    const env = environmentOf(`http://127.0.0.1:${port}`, key);
    try {
      return await partnerCommand(["call", "POST", "/orders/send", ...args], { env });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const failure = (more: object) =>
    JSON.stringify({ errMsg: "No", data: null, uuid: "u1", t: Date.now(), ...more });

  it("that refuses a field says how to send it otherwise, and where to read on", async () => {
    const docUrl = "https://api.example.com/docs/errors/VALIDATION_FAILED";
    const body = failure({
      code: 10000,
      errCode: "VALIDATION_FAILED",
      param: "deadline",
      retryable: false,
      docUrl,
    });
    const { code, out, err } = await call(400, {}, body, "deadline=soon");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("VALIDATION_FAILED (HTTP 400): No");
    expect(err).toContain("deadline was sent as a string: deadline:=");
    for (const part of ["param        deadline", "uuid         u1", docUrl]) expect(err).toContain(part);
  });

  it.each([
    ["in another case", "side=buy", "Words are spelled exactly so: side=Buy"],
    ["that is none of them", "side=purchase", "The same call would fail again"],
  ])(
    "that refuses a word %s says which to send, and not to send it as a number",
    async (_what, field, advice) => {
      const body = failure({
        code: 10000,
        errCode: "VALIDATION_FAILED",
        errMsg: "side must be one of Buy, Sell",
        param: "side",
        retryable: false,
      });
      const { err } = await call(400, {}, body, field);
      expect(err).toContain(advice);
      expect(err).not.toContain("side:=");
    },
  );

  it("that may be another one later says when", async () => {
    const body = failure({ code: 429, errCode: "RATE_LIMITED", param: null, retryable: true });
    const { err } = await call(429, { "retry-after": "7" }, body);
    expect(err).toContain("The same call may succeed in 7 s");
  });

  it("of 401 names a clock that is off, and else lists what to check", async () => {
    const late = failure({ code: 401, t: Date.now() + 60_000 });
    expect((await call(400, {}, late)).err).toMatch(/clock is off: (60|59)\.\d s behind the server, too far/);
    const { err } = await call(400, {}, failure({ code: 401 }));
    expect(err).toContain("IP whitelist");
    expect(err).toContain("it is not READ_ONLY");
    expect(err).toContain("partner-trading sign POST /orders/send --explain");
  });

  it("of something else is no answer of this API", async () => {
    const { code, err } = await call(502, {}, "<html>Bad gateway</html>");
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("HTTP 502, and no answer of this API"),
    });
  });

  it("to a send is asked for under an Idempotency-Key, which is printed where it is not given", async () => {
    const body = JSON.stringify({ code: 200, errMsg: "", data: {}, uuid: "u1", t: Date.now() });
    const { code, err } = await call(200, {}, body);
    expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(`--idempotency-key ${idempotencyKey}`),
    });
    expect((await call(200, {}, body, "--idempotency-key", "mine")).err).not.toContain("--idempotency-key");
    expect(idempotencyKey).toBe("mine");
  });
});
