import { createServer, type Server } from "node:net";
import { z } from "zod";
import type { SandboxEnv } from "./env.ts";
import { readJson, writeJson } from "./files.ts";

export const PORT_NAMES = [
  "api",
  "control",
  "postgres",
  "rpc31337",
  "rpc31338",
  "worker",
  "indexer",
] as const;
export type PortName = (typeof PORT_NAMES)[number];
export type Ports = Record<PortName, number>;

const fileSchema = z.partialRecord(z.enum(PORT_NAMES), z.int());

/**
 * The ports to listen on: those that the environment names, else those of last time where they are free, else any free
 * ones. So addresses stay the same over restarts as long as nobody else takes them.
 */
export async function choosePorts(env: SandboxEnv, file: string): Promise<Ports> {
  const last = readJson(file, fileSchema) ?? {};
  const named: Partial<Record<PortName, number | undefined>> = {
    api: env.PORT,
    control: env.SANDBOX_CONTROL_PORT,
    postgres: env.SANDBOX_POSTGRES_PORT,
    rpc31337: env.SANDBOX_RPC_PORT_31337,
    rpc31338: env.SANDBOX_RPC_PORT_31338,
    worker: env.SANDBOX_WORKER_PORT,
    indexer: env.SANDBOX_INDEXER_PORT,
  };
  const held: Server[] = [];
  const ports: Partial<Ports> = {};
  try {
    for (const name of PORT_NAMES) ports[name] = named[name] || (await holdPort(last[name], held));
  } finally {
    // Only now, so that no two got the same.
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
  writeJson(file, ports);
  return z.record(z.enum(PORT_NAMES), z.int()).parse(ports);
}

async function holdPort(wanted: number | undefined, held: Server[]): Promise<number> {
  const server = (wanted && (await listen(wanted).catch(() => null))) || (await listen(0));
  held.push(server);
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
  return address.port;
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, () => resolve(server));
  });
}
