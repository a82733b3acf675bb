import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeWhere } from "../../../test/support/program/describe-where.ts";
import { buildGo, quoted, runProgram, runShell } from "./examples.ts";
import { sentVectors, targetOf, vectors } from "./vectors.ts";

const env = { PARTNER_TRADING_API_SECRET: vectors.secret };
const signatures = vectors.cases.map(({ sign }) => sign);

describeWhere("openssl", "examples/curl.sh", () => {
  // Debian's /bin/sh is dash.
  it.each(["/bin/sh", "/bin/bash"].filter(existsSync))("signs as the vectors do, in %s", async (shell) => {
    const calls = vectors.cases.map(({ method, uri, timestamp, nonce, body }) =>
      ["partner_sign", ...[method, uri, timestamp, nonce, body].map(quoted)].join(" "),
    );
    expect((await runShell(shell, calls.join("\n"), env)).trim().split("\n")).toEqual(signatures);
  });

  it("sorts the query of a path by name, and begins it with /api/v1", async () => {
    const targets = [...sentVectors.map(targetOf), "/orders?a-b=1&a=1", "/key", "/orders?b=&a"];
    const uris = [...sentVectors.map(({ uri }) => uri), "/api/v1/orders?a=1&a-b=1", "/api/v1/key"];
    const script = targets.map((target) => `partner_uri ${quoted(target)}; echo`).join("\n");
    const printed = await runShell("/bin/sh", script, {});
    expect(printed.trim().split("\n")).toEqual([...uris, "/api/v1/orders?a&b="]);
  });

  it("names a variable that is missing, and sends nothing", async () => {
    await expect(runShell("/bin/sh", "partner GET /key", env)).rejects.toThrow(
      "PARTNER_TRADING_BASE_URL: is not set",
    );
  });

  it("is a program, too, that prints a signature", async () => {
    const args = ["examples/curl.sh", "sign", "GET", "/api/v1/key", "1", "n"];
    const { method, uri, timestamp, nonce, body, sign } = vectors.cases[4] ?? {};
    const given = [method, uri, timestamp, nonce, body].map(String);
    expect(await runProgram("/bin/sh", [...args.slice(0, 2), ...given], env)).toBe(`${sign}\n`);
    await expect(runProgram("/bin/sh", ["examples/curl.sh", "PUT", "/key"], env)).rejects.toThrow("usage");
  });
});

describeWhere("go", "examples/go", () => {
  let program: string;
  beforeAll(async () => {
    program = await buildGo();
  });
  afterAll(() => rm(dirname(program), { recursive: true }));

  it("signs as the vectors do", async () => {
    for (const { method, uri, timestamp, nonce, body, sign } of vectors.cases)
      expect(await runProgram(program, ["sign", method, uri, timestamp, nonce, body], env)).toBe(`${sign}\n`);
  });

  it("names a variable that is missing", async () => {
    await expect(runProgram(program, [], {})).rejects.toThrow(/PARTNER_TRADING_\w+ is not set/);
  });
});
