import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Address, createPublicClient, http, parseAbi } from "viem";
import { commandOf } from "../../packages/sandbox/src/processes.ts";
import { present, until } from "../support/assert/until.ts";
import { createPartner } from "../support/http/partner.ts";
import { keepSandbox } from "../support/sandbox/kept-sandbox.ts";
import { npmStart, processesOf, readState, type Sandbox, untilPrinted } from "../support/sandbox/sandbox.ts";
import type { SandboxState } from "../support/sandbox/sandbox-state.ts";

/** One sandbox's life: start, end, go on, be killed. Each test goes on from where the one before it left. */
const READY = "The sandbox is ready to trade.";
/** Ten times what it takes on a machine of its own. */
const START_MS = 150_000;

let dir: string;
let sandbox: Sandbox;
let first: SandboxState;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "partner-lifecycle-"));
});

afterAll(() => {
  for (const pid of processesOf(dir)) kill(pid, "SIGKILL");
  keepSandbox(dir, "lifecycle");
  rmSync(dir, { recursive: true, force: true });
});

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

const nothingRuns = () =>
  until("no process of the sandbox", () => (processesOf(dir).length === 0 ? true : undefined), 30_000);

async function chainOf(state: SandboxState) {
  const chain = present(state.chains[0], "a chain");
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const user = present(state.users[0], "a user");
  return {
    firstBlock: (await client.getBlock({ blockNumber: 1n })).hash,
    head: await client.getBlockNumber({ cacheTime: 0 }),
    mUsd: await client.readContract({
      address: chain.contracts.cashier as Address,
      abi: parseAbi(["function balanceWad(address) view returns (uint256)"]),
      functionName: "balanceWad",
      args: [user.address as Address],
    }),
  };
}

const callConfig = (state: SandboxState) =>
  createPartner(state.baseUrl, present(state.keys[0], "a key")).get<unknown>("/config");

let firstChain: Awaited<ReturnType<typeof chainOf>>;

it(
  "is ready to trade after one command, and tells where everything is",
  async () => {
    sandbox = npmStart(dir);
    await untilPrinted(sandbox, READY, START_MS);
    first = readState(dir);
    const statusOf = async (path: string) => (await fetch(`${first.baseUrl}${path}`)).status;
    expect({ readyz: await statusOf("/readyz"), livez: await statusOf("/livez") }).toEqual({
      readyz: 200,
      livez: 200,
    });
    expect(new URL(first.baseUrl).pathname).toBe("/");
    expect({ chainIds: first.chains.map(({ chainId }) => chainId) }).toEqual({ chainIds: [31337, 31338] });
    for (const { chainId } of first.chains) {
      const access = first.keys.filter((key) => key.chainId === chainId).map((key) => key.access);
      expect({ chainId, access: access.sort() }).toEqual({ chainId, access: ["READ_ONLY", "WRITABLE"] });
    }
    expect(first.keys.map((key) => key.userAddress).filter(Boolean)).toEqual([first.users[0]?.address]);
    expect((await callConfig(first)).body).toMatchObject({ code: 200, errMsg: "" });
    firstChain = await chainOf(first);
    expect({ ...firstChain, isRich: firstChain.mUsd >= 10_000n * 10n ** 18n }).toEqual({
      ...firstChain,
      isRich: true,
    });
  },
  START_MS,
);

it("prints a signed call that answers 200 whenever it is pasted", async () => {
  const line = present(
    sandbox
      .output()
      .split("\n")
      .find((text) => text.trim().startsWith("curl ")),
    "a curl call",
  );
  const answer = execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" });
  expect(JSON.parse(answer)).toMatchObject({ code: 200, data: { chainId: 31337 } });
});

it("keeps a second sandbox out of its directory", async () => {
  const second = npmStart(dir);
  expect(await second.exited).not.toBe(0);
  expect(second.output()).toContain("another sandbox");
  expect(readState(dir)).toEqual(first);
});

it("starts a program again that dies", async () => {
  const pid = present(
    processesOf(dir).find((candidate) => commandOf(candidate)?.endsWith("src/bin/worker.js")),
    "the worker",
  );
  kill(pid, "SIGKILL");
  await untilPrinted(sandbox, "worker was ended by SIGKILL; it is started again");
  expect((await callConfig(first)).body).toMatchObject({ code: 200, errMsg: "" });
});

it("ends by SIGTERM to npm alone, and leaves no process behind", async () => {
  expect(processesOf(dir).length).toBeGreaterThan(6);
  kill(sandbox.pid, "SIGTERM");
  expect(await sandbox.exited).toBe(0);
  await nothingRuns();
});

it("refuses a chain that is behind the database, and says what to do", async () => {
  renameSync(join(dir, "chain-31338.json"), join(dir, "aside.json"));
  const refused = npmStart(dir);
  expect(await refused.exited).not.toBe(0);
  expect(refused.output()).toContain("chain 31338 is behind the database");
  expect(refused.output()).toContain("npm start -- --fresh");
  await nothingRuns();
  rmSync(join(dir, "chain-31338.json"), { force: true });
  renameSync(join(dir, "aside.json"), join(dir, "chain-31338.json"));
});

it("refuses a database whose password it does not know, as that of an earlier version, and says what to do", async () => {
  const file = join(dir, "secrets.json");
  const kept = readFileSync(file, "utf8");
  const { databasePasswords: _unknown, ...earlier } = JSON.parse(kept);
  writeFileSync(file, JSON.stringify(earlier), { mode: 0o600 });
  const refused = npmStart(dir);
  expect(await refused.exited).not.toBe(0);
  expect(refused.output()).toContain("the database has another password than secrets.json");
  expect(refused.output()).toContain("npm start -- --fresh");
  await nothingRuns();
  writeFileSync(file, kept, { mode: 0o600 });
});

it(
  "goes on with the same chains, balances and keys, whatever became of state.json",
  async () => {
    rmSync(join(dir, "state.json"), { force: true });
    sandbox = npmStart(dir);
    await untilPrinted(sandbox, READY, START_MS);
    const again = readState(dir);
    expect(again).toEqual(first);
    const chain = await chainOf(again);
    expect(chain).toMatchObject({ firstBlock: firstChain.firstBlock, mUsd: firstChain.mUsd });
    expect(chain.head).toBeGreaterThanOrEqual(firstChain.head);
    expect((await callConfig(again)).body).toMatchObject({ code: 200, errMsg: "" });
  },
  START_MS,
);

it(
  "killed as a whole, goes on or asks to start anew, and never hangs",
  async () => {
    for (const pid of processesOf(dir)) kill(pid, "SIGKILL");
    await nothingRuns();
    sandbox = npmStart(dir);
    const outcome = await until(
      "ready or refused",
      () => {
        if (sandbox.output().includes(READY)) return "ready";
        return sandbox.ended() ? "refused" : undefined;
      },
      START_MS,
    );
    if (outcome === "refused") {
      expect(sandbox.output()).toContain("npm start -- --fresh");
    } else {
      expect(readState(dir).keys).toEqual(first.keys);
    }
    kill(-sandbox.pid, "SIGINT");
    await sandbox.exited;
    await nothingRuns();
  },
  START_MS + 30_000,
);

it("starts anew with --fresh, and Ctrl-C in the middle of it ends it in order", async () => {
  sandbox = npmStart(dir, ["--fresh"]);
  await untilPrinted(sandbox, "  PostgreSQL 18");
  kill(-sandbox.pid, "SIGINT");
  expect(await sandbox.exited).toBe(0);
  expect(sandbox.output()).not.toContain(READY);
  await nothingRuns();
});
