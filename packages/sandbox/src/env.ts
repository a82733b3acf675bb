import { resolve } from "node:path";
import { z } from "zod";

/** Chains of the sandbox. */
export const CHAIN_IDS = [31337, 31338] as const;

const port = z.coerce.number().int().min(0).max(65535).optional();
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).optional();

const list = z
  .string()
  .default("")
  .transform((text) => text.split(",").flatMap((item) => item.trim().toLowerCase() || []));

/** Names without a port. */
const hosts = list.refine(
  (all) => all.every((host) => /^[a-z0-9_][a-z0-9._-]*$/.test(host)),
  "must be names such as sandbox, without a port, comma separated",
);

/** Origins as browsers send them: a scheme, a host and a port, and nothing after. */
const origins = list.refine(
  (all) => all.every((origin) => /^[a-z][a-z0-9+.-]*:\/\/[^\s/*]+$/.test(origin)),
  "must be origins such as http://localhost:5173, comma separated",
);

/** A limit of the api's, in its words; the api checks it. */
const rateLimit = z.string().default("1000000");

/** The environment of `npm start`; docs/SANDBOX.md documents it. All variables are optional, and unnamed ports are free ones. */
const schema = z.object({
  /** Directory of all files. */
  SANDBOX_DIR: z
    .string()
    .min(1)
    .default(".sandbox")
    .transform((path) => resolve(path)),
  /** A PostgreSQL of your own, instead of the embedded one. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgresql:// URL" }).optional(),
  /** Development chains (anvil) of your own, instead of those that the sandbox starts. */
  SANDBOX_RPC_URL_31337: httpUrl,
  SANDBOX_RPC_URL_31338: httpUrl,
  /** Address that API, operator's port, chains and control listen on; for a container, whose ports the machine publishes. */
  SANDBOX_HOST: z.ipv4("must be an IPv4 address such as 0.0.0.0").default("127.0.0.1"),
  /** The API's port. */
  PORT: port,
  SANDBOX_OPERATOR_PORT: port,
  SANDBOX_CONTROL_PORT: port,
  SANDBOX_POSTGRES_PORT: port,
  SANDBOX_RPC_PORT_31337: port,
  SANDBOX_RPC_PORT_31338: port,
  SANDBOX_WORKER_PORT: port,
  SANDBOX_DELIVERER_PORT: port,
  SANDBOX_INDEXER_PORT: port,
  /** Origins whose pages may call chains and control from a browser. */
  SANDBOX_ALLOWED_ORIGINS: origins,
  /** Names by which programs reach this machine, such as that of a service container. */
  SANDBOX_ALLOWED_HOSTS: hosts,
  /** Limit of the api, to rehearse a 429. By default, one developer's machine may send any number of requests. */
  RATE_LIMIT_READS: rateLimit,
  RATE_LIMIT_WRITES: rateLimit,
  RATE_LIMIT_IN_FLIGHT: rateLimit,
  RATE_LIMIT_FAILURES: rateLimit,
  /** Time from an order to the broker's action, milliseconds. */
  SANDBOX_ORDER_DELAY_MS: z.coerce.number().int().min(0).default(1_000),
  /** Time from a queued deposit or withdrawal to its settlement, milliseconds. */
  SANDBOX_OPERATION_DELAY_MS: z.coerce.number().int().min(0).default(2_000),
  /** Level of all programs. Set, their log also goes to the terminal; unset, only warnings do. */
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).optional(),
  /** Set by npm: the sandbox then ends when npm is gone. */
  npm_lifecycle_event: z.string().optional(),
});

export type SandboxEnv = z.output<typeof schema>;

/** Variables that docs/SANDBOX.md has to describe. */
export const SANDBOX_VARIABLES = Object.keys(schema.shape).filter((name) => name === name.toUpperCase());

/** @throws Error naming every wrong variable, one a line, and never its value. */
export function parseSandboxEnv(env: NodeJS.ProcessEnv): SandboxEnv {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = schema.safeParse(set);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`the environment of the sandbox is not valid:\n${lines.join("\n")}`);
}
