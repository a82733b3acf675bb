import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";

const serviceSchema = z.object({
  image: z.string(),
  build: z.unknown().optional(),
  mem_limit: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.coerce.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  networks: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});
export type Service = z.output<typeof serviceSchema>;

const text = readFileSync(`${ROOT}deploy/compose.yaml`, "utf8");

/** `${NAME}`, `${NAME:-default}` and `${NAME:?}`, which must be set. */
const VARIABLE = /\$\{(\w+)(?::(-|\?)([^}]*))?\}/g;

/** Names of the variables that deploy/compose.yaml takes from .env. */
export const VARIABLES = [...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name as string))];

/**
 * Returns the services of deploy/compose.yaml, as Docker Compose reads them.
 * @param env the variables of .env
 * @throws Error naming a variable that must be set and is not
 */
export function readServices(env: Record<string, string>): Record<string, Service> {
  const filled = text.replace(VARIABLE, (_whole, name: string, kind?: string, fallback?: string) => {
    if (env[name]) return env[name];
    if (kind === "?") throw new Error(`${name} must be set`);
    return fallback ?? "";
  });
  return z.object({ services: z.record(z.string(), serviceSchema) }).parse(parse(filled, { merge: true }))
    .services;
}

/** Returns the variables of a .env file. */
export function parseEnvFile(content: string): Record<string, string> {
  const lines = content.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
