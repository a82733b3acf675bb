import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { PublicClient } from "viem";
import { z } from "zod";
import type { Deployment } from "../../../packages/sandbox/src/deploy.ts";

const VARIABLE = "TEST_KEPT_CHAINS";

/** A product on a chain of its own, with funded users. */
export interface KeptChain {
  /** Anvil's state file. */
  statePath: string;
  deployment: Deployment;
}

/**
 * Makes a directory for the states of chains that startProduct has set up once in a run: each test file then starts a chain of its own
 * from them. Sets TEST_KEPT_CHAINS.
 * @returns removes what was kept
 */
export function keepChains(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "partner-chains-"));
  process.env[VARIABLE] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Returns the state that this run has kept of a chain with `users` users; null where there is none yet. */
export function keptChain(chainId: number, users: number): KeptChain | null {
  const files = filesOf(chainId, users);
  if (!files || !existsSync(files.deployment)) return null;
  const deployment = JSON.parse(readFileSync(files.deployment, "utf8")) as Deployment;
  return { statePath: files.state, deployment };
}

/** Keeps a chain as it is now. Others may keep the same one meanwhile: each file is moved to its place whole. */
export async function keepChain(client: PublicClient, deployment: Deployment, users: number): Promise<void> {
  const files = filesOf(deployment.chainId, users);
  if (!files) return;
  const request = { method: "anvil_dumpState", params: [] };
  const dump = z
    .string()
    .startsWith("0x")
    .parse(await client.transport.request(request as never));
  replace(files.state, gunzipSync(Buffer.from(dump.slice(2), "hex")));
  // Last: it says that the state is there.
  replace(files.deployment, JSON.stringify(deployment));
}

function filesOf(chainId: number, users: number): { state: string; deployment: string } | null {
  const directory = process.env[VARIABLE];
  if (!directory) return null;
  const name = join(directory, `${chainId}-${users}`);
  return { state: `${name}.state.json`, deployment: `${name}.deployment.json` };
}

function replace(path: string, contents: string | Buffer): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, path);
}
