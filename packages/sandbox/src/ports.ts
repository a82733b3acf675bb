import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";
import { z } from "zod";
import type { SandboxEnv } from "./env.ts";
import { readJson, writeJson } from "./files.ts";

export const PORT_NAMES = [
  "api",
  "operator",
  "control",
  "postgres",
  "rpc31337",
  "rpc31338",
  "worker",
  "deliverer",
  "indexer",
] as const;
export type PortName = (typeof PORT_NAMES)[number];
export type Ports = Record<PortName, number>;

/**
 * Below the ephemeral ports (from 32768 on Linux, 49152 elsewhere): one of those may be taken between the check and the server's
 * listen, or while that server is down.
 */
const LISTENING = { from: 20_000, to: 32_768 };
const TRIES = 100;

const fileSchema = z.partialRecord(z.enum(PORT_NAMES), z.int());

/**
 * Returns the ports to listen on: those that the environment names, else those of the last run where free, else any free ones. So
 * addresses stay the same over restarts while no other program takes them.
 * @throws Error where one that the environment names is taken
 */
export async function choosePorts(env: SandboxEnv, file: string): Promise<Ports> {
  const last = readJson(file, fileSchema) ?? {};
  const named: Partial<Record<PortName, number | undefined>> = {
    api: env.PORT,
    operator: env.SANDBOX_OPERATOR_PORT,
    control: env.SANDBOX_CONTROL_PORT,
    postgres: env.DATABASE_URL ? undefined : env.SANDBOX_POSTGRES_PORT,
    rpc31337: env.SANDBOX_RPC_URL_31337 ? undefined : env.SANDBOX_RPC_PORT_31337,
    rpc31338: env.SANDBOX_RPC_URL_31338 ? undefined : env.SANDBOX_RPC_PORT_31338,
    worker: env.SANDBOX_WORKER_PORT,
    deliverer: env.SANDBOX_DELIVERER_PORT,
    indexer: env.SANDBOX_INDEXER_PORT,
  };
  const held: Server[] = [];
  const ports: Partial<Ports> = {};
  try {
    for (const name of PORT_NAMES) {
      const port = named[name];
      ports[name] = port ? await holdNamed(name, port, held) : await holdPort(last[name], held);
    }
  } finally {
    // Closed last, so that no two get the same.
    await Promise.all(held.map(close));
  }
  writeJson(file, ports);
  return z.record(z.enum(PORT_NAMES), z.int()).parse(ports);
}

/** Returns a port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const held: Server[] = [];
  const port = await holdPort(undefined, held);
  await Promise.all(held.map(close));
  return port;
}

async function holdNamed(name: PortName, port: number, held: Server[]): Promise<number> {
  const server = await listen(port);
  if (!server) throw new Error(`port ${port}, which the environment names for ${name}, is taken`);
  held.push(server);
  return port;
}

async function holdPort(wanted: number | undefined, held: Server[]): Promise<number> {
  const server = (wanted && (await listen(wanted))) || (await listenAnywhere());
  held.push(server);
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
  return address.port;
}

async function listenAnywhere(): Promise<Server> {
  for (let tries = 0; tries < TRIES; tries++) {
    const server = await listen(randomInt(LISTENING.from, LISTENING.to));
    if (server) return server;
  }
  throw new Error(`found no free port from ${LISTENING.from} to ${LISTENING.to - 1}`);
}

/** @returns null where the port is taken or unavailable */
function listen(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ port, host: "127.0.0.1" }, () => resolve(server));
  });
}

function close(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}
