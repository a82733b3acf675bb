import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";

const FILE = "test/db/enums.integration.test.ts";
/** Path of the socket of this test's own keeper. */
const directory = mkdtempSync(join(tmpdir(), "partner-kept-"));
// Entered by the database's user, where this runs as root.
chmodSync(directory, 0o755);

function kept(...args: string[]) {
  const env = { ...process.env, TMPDIR: directory, TEST_LONG: "", NODE_OPTIONS: "" };
  const { status, stderr } = spawnSync("npm", ["run", "test:kept", "--", ...args], {
    cwd: ROOT,
    env,
    encoding: "utf8",
  });
  return { status, passed: stderr.includes(`PASS integration ${FILE}`) };
}
const sockets = () => readdirSync(directory).filter((name) => name.endsWith(".sock"));

/** Returns the environment that the keeper gives to tests. */
async function environment(): Promise<string> {
  const [name = ""] = sockets();
  const socket = connect(join(directory, name));
  socket.write("environment");
  return text(socket);
}

afterAll(() => {
  kept("stop");
  rmSync(directory, { recursive: true, force: true });
});

it("npm run test:kept keeps its server and chains for the next run, until it stops", async () => {
  expect(kept(FILE)).toEqual({ status: 0, passed: true });
  const first = await environment();
  expect(kept(FILE)).toEqual({ status: 0, passed: true });
  expect(await environment()).toBe(first);
  expect(JSON.parse(first).env.TEST_DATABASE_ADMIN_URL).toMatch(/^postgresql:/);
  expect(kept("stop").status).toBe(0);
  expect({ sockets: sockets() }).toEqual({ sockets: [] });
});
