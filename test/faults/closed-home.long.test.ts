import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { until } from "../support/assert/until.ts";
import { type Checkout, copyToClosedHome } from "../support/program/checkout.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { keepSandbox } from "../support/sandbox/kept-sandbox.ts";
import { npmStart, processesOf, untilPrinted } from "../support/sandbox/sandbox.ts";

/**
 * A checkout below a home directory of mode 0700, used as root: PostgreSQL runs as another user, who can enter neither the
 * checkout nor what is in it. Elsewhere nothing is special about such a checkout.
 */
describeWhere("root", "a checkout in a home of mode 0700, as root", () => {
  let checkout: Checkout;
  let sandboxDir: string;
  beforeAll(() => {
    checkout = copyToClosedHome();
    sandboxDir = join(checkout.root, ".sandbox");
  });
  afterAll(() => {
    for (const pid of processesOf(sandboxDir)) process.kill(pid, "SIGKILL");
    const home = existsSync(join(sandboxDir, "postgres.json")) ? privateHome() : null;
    checkout.remove();
    expect({ homeLeft: home }).toEqual({ homeLeft: null });
  });

  const privateHome = (): string =>
    z.object({ path: z.string() }).parse(JSON.parse(readFileSync(join(sandboxDir, "postgres.json"), "utf8")))
      .path;
  const nothingRuns = () =>
    until("no process of the sandbox", () => (processesOf(sandboxDir).length === 0 ? true : undefined));

  async function startAndEnd(args: string[] = []): Promise<string> {
    const sandbox = npmStart(sandboxDir, args, {}, checkout.root);
    await untilPrinted(sandbox, "  PostgreSQL 18");
    process.kill(-sandbox.pid, "SIGINT");
    expect(await sandbox.exited).toBe(0);
    await nothingRuns();
    return sandbox.output();
  }

  it("starts a sandbox whose database is in a private directory, and resumes it", async () => {
    const output = await startAndEnd();
    const home = privateHome();
    expect(output.split("\n").filter((line) => line.includes(home))).toHaveLength(1);
    const { mode, uid } = statSync(home);
    expect(mode & 0o777).toBe(0o700);
    expect(uid).not.toBe(0);
    expect(statSync(join(home, "data/PG_VERSION")).uid).toBe(uid);
    expect(home.startsWith(tmpdir())).toBe(false);
    expect(existsSync(join(sandboxDir, "postgres"))).toBe(false);

    const made = statSync(join(home, "data/PG_VERSION")).mtimeMs;
    await startAndEnd();
    expect(privateHome()).toBe(home);
    expect(statSync(join(home, "data/PG_VERSION")).mtimeMs).toBe(made);
  });

  it("removes that directory with --fresh", async () => {
    const before = privateHome();
    await startAndEnd(["--fresh"]);
    const after = privateHome();
    expect(existsSync(before)).toBe(false);
    expect(after).not.toBe(before);
    // Removes all files of this test, like the next `--fresh`.
    const { removePrivate } = await import("../../packages/sandbox/src/postgres-place.ts");
    keepSandbox(sandboxDir, "closed-home");
    removePrivate(sandboxDir);
    expect(existsSync(after)).toBe(false);
  });

  it("runs the integration tests there, and they clean up", async () => {
    const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
    const what = ["-c", "test/jest.config.mjs", "--selectProjects", "integration", "-i", "test/db/client"];
    const child = spawn(process.execPath, [...jest, ...what], {
      cwd: checkout.root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (output += String(chunk)));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("1 passed, 1 total") });
    expect(readdirSync("/var/lib").filter((name) => name.includes(`pg-${child.pid}-`))).toEqual([]);
  });
});
