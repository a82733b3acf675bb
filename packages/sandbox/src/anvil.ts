import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Allowed } from "./browser-guard.ts";
import { type ChainChanges, createChainChanges } from "./chain-changes.ts";
import { keepOwnGenesis } from "./genesis.ts";
import { createMining, type Mining } from "./mining.ts";
import { keepPoolMoving } from "./pool.ts";
import { type RpcCall, rpc, rpcTo } from "./rpc.ts";
import { type RpcServer, startRpcServer } from "./rpc-server.ts";

/** Starts and stops anvil, the development chain of sandbox and tests, straight from its platform package. */
const require = createRequire(import.meta.url);

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;
/** Number of blocks back that state can be read, and the chain be reorganised. */
const KEPT_STATES = 128;

export interface AnvilOptions {
  chainId: number;
  /** A free port by default. */
  port?: number;
  /** Number of the first block, 0 by default. */
  genesisBlock?: number;
  /** Mines every so many seconds too; by default only when there is a transaction. */
  blockTimeSeconds?: number;
  /** File that keeps the chain: read at start where it exists, written every second and on stop. */
  statePath?: string;
  /** Kept state of another chain of this id, to start from; only read. */
  initialStatePath?: string;
  /**
   * Serves the chain through a server that refuses pages in browsers, except those of these origins. Without it, anvil serves
   * itself, to any caller.
   */
  guard?: { host?: string; allowed: Allowed };
  /** Receives anvil's output. */
  log?: (line: string) => void;
}

export interface Anvil {
  chainId: number;
  port: number;
  rpcUrl: string;
  pid: number;
  mining: Mining;
  /** Announces changes of the chain; null where anvil serves itself. */
  changes: ChainChanges | null;
  /** Settles when the process has ended, for whatever reason. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends the process and waits until it is gone. Its state file, if any, is complete afterwards. */
  stop(): Promise<void>;
}

/**
 * Starts a chain and waits until it answers. It ends with this process, however that ends, but not on Ctrl-C: its starter decides
 * when it stops.
 * @throws Error with anvil's output when it does not start within 20 s.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  if (options.statePath !== undefined) keepOwnGenesis(options.statePath);
  const ipc = options.guard ? await makeIpc() : null;
  const changes = options.guard ? createChainChanges() : null;
  const child = spawn(anvilBinary(), anvilArguments(options, ipc), {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const { pid } = child;
  if (pid === undefined) {
    ipc?.remove();
    throw await spawnError(child);
  }
  const leash = tieToThisProcess(pid);
  const helpers: { stop(): void }[] = [];
  let server: RpcServer | null = null;
  const letGo = exited.then(async () => {
    for (const helper of helpers) helper.stop();
    leash?.kill("SIGKILL");
    await server?.close();
    ipc?.remove();
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await letGo;
    clearTimeout(timer);
  };
  try {
    let port = await listeningPort(child, exited, options.log);
    if (options.guard && ipc) {
      const onAnswered = changes?.announce;
      server = await startRpcServer({
        ...options.guard,
        ipcPath: ipc.path,
        port: options.port ?? 0,
        ...(onAnswered ? { onAnswered } : {}),
      });
      port = server.port;
    }
    const rpcUrl = `http://127.0.0.1:${port}`;
    await checkChain(rpcUrl, options.chainId);
    const call = server?.call ?? rpcTo(rpcUrl);
    await resumeClock(call);
    const mining = createMining(call);
    helpers.push(keepPoolMoving(call, mining));
    if (options.blockTimeSeconds !== undefined)
      helpers.push(startHeartbeat(mining, options.blockTimeSeconds));
    return { chainId: options.chainId, port, rpcUrl, pid, mining, changes, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns the anvil binary of this platform.
 * @throws Error when the platform has no package, or it is not installed.
 */
function anvilBinary(): string {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const file = process.platform === "win32" ? "anvil.exe" : "anvil";
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/${file}`;
  try {
    return require.resolve(name);
  } catch (cause) {
    throw new Error(`anvil is not installed for ${process.platform} ${process.arch} (${name})`, { cause });
  }
}

interface IpcDirectory {
  path: string;
  /** Second address that anvil must listen on. */
  host: string;
  remove(): void;
}

/** Directory of anvil's unix socket: paths of sockets are short, and only this user may connect. */
async function makeIpc(): Promise<IpcDirectory> {
  const directory = mkdtempSync(join(tmpdir(), "partner-chain-"));
  return {
    path: join(directory, "ipc"),
    host: (await canListen(UNREACHABLE)) ? UNREACHABLE : "127.0.0.1",
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The loopback's broadcast address: on Linux, servers can listen on it, and no client can connect to it. */
const UNREACHABLE = "127.255.255.255";

function canListen(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port: 0, host }, () => server.close(() => resolve(true)));
  });
}

function anvilArguments(options: AnvilOptions, ipc: IpcDirectory | null): string[] {
  const { chainId, genesisBlock = 0, port = 0, statePath, initialStatePath } = options;
  const args = ["--chain-id", `${chainId}`];
  if (genesisBlock > 0) args.push("--number", `${genesisBlock}`);
  if (ipc) args.push("--host", ipc.host, "--port", "0", "--no-cors", "--ipc", ipc.path);
  else args.push("--host", "127.0.0.1", "--port", `${port}`);
  args.push("--prune-history", `${KEPT_STATES}`);
  // The interval bounds what a hard kill loses. States of old blocks are not written: at 200 kB each, once a second, they would
  // keep a core and the disk busy. So a restarted chain knows its latest state, and later ones.
  if (statePath !== undefined) args.push("--state", statePath, "--state-interval", "1");
  if (initialStatePath !== undefined) args.push("--load-state", initialStatePath);
  return args;
}

/**
 * Mines every so many seconds, besides the blocks that transactions make. Anvil can do so itself, but with `--block-time` it
 * ignores `--prune-history` and grows by 250 kB a block, in memory or on disk, without limit.
 */
function startHeartbeat(mining: Mining, seconds: number): { stop(): void } {
  let beating = false;
  const timer = setInterval(async () => {
    if (beating) return;
    beating = true;
    // A failed beat is skipped: the chain is stopping, or has stopped, and `exited` reports it.
    await mining.beat().catch(() => undefined);
    beating = false;
  }, seconds * 1000);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Ends the process `pid` once this one is gone: the shell's input ends then, even after SIGKILL. Null on Windows, which has no
 * such shell.
 */
function tieToThisProcess(pid: number): ChildProcess | null {
  if (process.platform === "win32") return null;
  const leash = spawn("/bin/sh", ["-c", `cat >/dev/null; kill -TERM ${pid} 2>/dev/null`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  leash.unref();
  return leash;
}

function spawnError(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => child.once("error", resolve));
}

/** Reads anvil's output until it names its address; with port 0, only anvil knows the port. */
function listeningPort(
  child: ChildProcess,
  exited: Anvil["exited"],
  log: (line: string) => void = () => {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const printed: string[] = [];
    const fail = (why: string) => reject(new Error(`anvil ${why}:\n${printed.slice(-20).join("\n")}`));
    const timer = setTimeout(() => fail("did not start in time"), START_TIMEOUT_MS);
    let starting = true;
    const onLine = (line: string): void => {
      log(line);
      if (!starting) return;
      printed.push(line);
      const port = /^Listening on \S+:(\d+)/.exec(line)?.[1];
      if (port === undefined) return;
      starting = false;
      clearTimeout(timer);
      resolve(Number(port));
    };
    // Both streams are read to the end: a full pipe would stop the chain.
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", onLine);
    }
    void exited.then(({ code, signal }) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? `code ${code}`}`);
    });
  });
}

const blockSchema = z.object({ timestamp: z.string() });
/** Blocks of one second may be this far ahead of it. */
const AHEAD_S = 2;

/**
 * Moves the clock to where a script left it: a block before its parent's time would be out of order to the indexer. Anvil's clock may be
 * seconds behind the machine's: its zero is when it began to start.
 */
async function resumeClock(call: RpcCall): Promise<void> {
  const { timestamp } = blockSchema.parse(await call("eth_getBlockByNumber", ["latest", false]));
  const offset = z.number().parse(await call("evm_increaseTime", [0]));
  const ahead = Number(timestamp) - (Math.floor(Date.now() / 1000) + offset);
  if (ahead > AHEAD_S) await call("evm_increaseTime", [ahead]);
}

async function checkChain(rpcUrl: string, chainId: number): Promise<void> {
  const actual = Number(await rpc(rpcUrl, "eth_chainId"));
  if (actual !== chainId) throw new Error(`the chain at ${rpcUrl} is ${actual}, not ${chainId}`);
}
