import { z } from "zod";
import { parseRange } from "./ip-range.ts";

/**
 * The environment of every program here, parsed once at start by its composition root and nowhere else.
 * docs/configuration.md documents it; a test keeps the two equal.
 */
const port = z.coerce.number().int().min(0).max(65535);

const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

const keyRing = z
  .string()
  .transform((text) => text.split(",").map((entry) => entry.trim().split(":")))
  .refine(
    (entries) =>
      entries.every(([id, key, more]) => id && key && more === undefined && /^[0-9a-fA-F]{64}$/.test(key)),
    "must be `id:64 hex digits`, several separated by commas, the current one first",
  )
  .transform((entries) =>
    entries.map(([id, key]) => ({ id: id as string, key: Buffer.from(key as string, "hex") })),
  );

const attributionKeys = {
  /**
   * Keys that sign the attribution of calldata: `id:64 hex digits`, comma separated. The first one signs, all of them
   * verify.
   */
  ATTRIBUTION_KEYS: keyRing,
};

const webhooks = {
  /** Keys that seal secrets of webhooks: `id:64 hex digits`, comma separated, the current one first. */
  WEBHOOK_KEYS: keyRing,
  /** `on`: webhooks may lead to the loopback interface, and be http. The sandbox alone sets it. */
  WEBHOOK_LOOPBACK: z
    .enum(["on", "off"])
    .default("off")
    .transform((value) => value === "on"),
  /** `development` opens introspection of /graphql; anything else is production. */
  NODE_ENV: z.string().optional(),
};

const LOOPBACK_RULE = {
  path: ["WEBHOOK_LOOPBACK"],
  error: "is for a sandbox alone, with NODE_ENV=development",
};
const keepsLoopbackRule = (env: { WEBHOOK_LOOPBACK: boolean; NODE_ENV?: string | undefined }): boolean =>
  !env.WEBHOOK_LOOPBACK || env.NODE_ENV === "development";

/** In a window of ten seconds; 0: no limit. */
const rateLimit = z.coerce.number().int().min(0).max(1_000_000);

/** Returns true for the name of a host. Its last label is no number, as that of an address is. */
const isHostName = (text: string): boolean =>
  z.hostname().safeParse(text).success && Number.isNaN(Number(text.split(".").at(-1)));

const proxies = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean),
  )
  .transform((entries, context) => {
    if (entries.some((entry) => /^\d+$/.test(entry))) {
      context.addIssue(
        "names the proxies by address, CIDR range or host name, such as 10.0.0.5,10.1.0.0/16; a number of them trusts whoever connects",
      );
    }
    const names = entries.filter(isHostName);
    const ranges = entries
      .filter((entry) => !isHostName(entry))
      .flatMap((entry) => {
        const range = parseRange(entry);
        if (range && range.prefix > 0) return [range];
        context.addIssue(
          "must be addresses, CIDR ranges or host names, several separated by commas, such as 10.0.0.5,10.1.0.0/16",
        );
        return [];
      });
    return { ranges, names };
  });

const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgresql:// URL" });

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const databaseUrls = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((url) => url.trim())
      .filter(Boolean),
  )
  .refine(
    (urls) => urls.every((url) => databaseUrl.safeParse(url).success),
    "must be postgresql:// URLs, several separated by commas",
  )
  .refine((urls) => new Set(urls.map(hostOf)).size === urls.length, "must name each host and port once");

const shared = {
  /** PostgreSQL connection URL. */
  DATABASE_URL: databaseUrl,
  /** Path of the deployments file. */
  DEPLOYMENTS_FILE: z.string().min(1),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
};

/** Source of quotes: the api shows them, and the worker values by them what it signs. */
const marketData = {
  /** Source of market data: `sandbox` reads MARKET_DATA_URL, `alpaca` the ALPACA_* variables. */
  MARKET_DATA_PROVIDER: z.enum(["sandbox", "alpaca"]),
  /** The sandbox's feed. */
  MARKET_DATA_URL: httpUrl.optional(),
  /** Credentials of an Alpaca account with a market data subscription. */
  ALPACA_KEY_ID: z.string().min(1).optional(),
  ALPACA_SECRET_KEY: z.string().min(1).optional(),
  ALPACA_DATA_URL: httpUrl.default("https://data.alpaca.markets"),
  /** The trading API of the same account, for the names of companies: paper accounts have another host. */
  ALPACA_TRADING_URL: httpUrl.default("https://paper-api.alpaca.markets"),
  /** Exchanges covered: iex comes with every account, sip with a paid subscription. */
  ALPACA_FEED: z.enum(["iex", "sip", "delayed_sip"]).default("iex"),
  /** Requests per minute, of each process, for what callers choose freely; the rest of the account's limit is for quotes. */
  ALPACA_CHOSEN_PER_MINUTE: z.coerce.number().int().min(1).max(100_000).default(60),
};

const apiShape = {
  ...shared,
  /** PostgreSQL itself, for LISTEN, where DATABASE_URL leads through a pooler that pools transactions. */
  DATABASE_LISTEN_URL: databaseUrl.optional(),
  /** Streaming replicas that reads of partners may come from, comma separated. Empty: all come from DATABASE_URL. */
  DATABASE_READ_URLS: databaseUrls,
  HOST: z.string().default("127.0.0.1"),
  PORT: port.default(8080),
  /** Connections of partners at most. One more closes an idle one. */
  CONNECTIONS_MAX: z.coerce.number().int().min(10).max(100_000).default(5_000),
  /** Address of detailed readiness, metrics, /graphql and /dashboard: for the operator's network alone. */
  OPERATOR_HOST: z.string().default("127.0.0.1"),
  OPERATOR_PORT: port.default(8083),
  /** Keys that seal API secrets: `id:64 hex digits`, comma separated, the current one first. */
  MASTER_KEYS: keyRing,
  ...attributionKeys,
  ...webhooks,
  /** Bearer tokens of dashboards for /graphql, comma separated, at least 32 characters each. Empty: /graphql is closed. */
  DASHBOARD_TOKENS: z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((token) => token.trim())
        .filter(Boolean),
    )
    .refine(
      (tokens) => tokens.every((token) => token.length >= 32),
      "each token needs at least 32 characters",
    ),
  /** Name of this installation on every page of the dashboard. Empty: none. */
  ENVIRONMENT_NAME: z
    .string()
    .regex(/^[\w. -]{0,24}$/, "has at most 24 letters, digits, spaces, and the characters . - _")
    .default(""),
  ENVIRONMENT_COLOUR: z.enum(["grey", "red", "amber", "green", "blue", "violet"]).default("grey"),
  /** Proxies in front that append to X-Forwarded-For. None: the caller is the socket's peer. */
  TRUSTED_PROXIES: proxies,
  /** Cost units of one API key, over all replicas: GETs, and everything else. */
  RATE_LIMIT_READS: rateLimit.default(5_000),
  RATE_LIMIT_WRITES: rateLimit.default(2_000),
  /** Cost units that one API key may have in flight on one replica. */
  RATE_LIMIT_IN_FLIGHT: rateLimit.default(500),
  /** Requests of one address that authentication refused, on one replica. */
  RATE_LIMIT_FAILURES: rateLimit.default(2_000),
  /** Streams of events that one API key may have open on one replica, and all keys together. */
  EVENT_STREAMS_PER_KEY: z.coerce.number().int().min(1).max(100_000).default(10),
  EVENT_STREAMS_MAX: z.coerce.number().int().min(1).max(100_000).default(1_000),
  /** Memory for answers that are kept while nothing in them changes, in MB; 0 keeps none. */
  KEPT_ANSWERS_MB: z.coerce.number().int().min(0).max(100_000).default(64),
  /** A path prefix that a proxy in front keeps, for example /trading; not part of what callers sign. */
  PATH_PREFIX: z
    .string()
    .regex(/^(\/[A-Za-z0-9._-]+)*$/, "must be empty or like /trading")
    .default(""),
  /** URL of /docs for callers, for example https://api.example.com/docs: failures then name the page of their errCode. */
  DOCS_URL: httpUrl.transform((url) => url.replace(/\/$/, "")).optional(),
  ...marketData,
  /** `on`: failed authentications carry their cause in the header x-sandbox-auth-cause. The sandbox alone sets it. */
  SANDBOX_AUTH_CAUSE: z
    .enum(["on", "off"])
    .default("off")
    .transform((value) => value === "on"),
  DATABASE_POOL_MAX: z.coerce.number().int().min(1).max(200).default(20),
  /** `off` behind a PgBouncer before 1.21 that pools transactions. */
  DATABASE_PREPARED_STATEMENTS: z
    .enum(["on", "off"])
    .default("on")
    .transform((value) => value === "on"),
};

/** Variables that each market data provider requires. */
const PROVIDER_NEEDS = [
  ["sandbox", "MARKET_DATA_URL"],
  ["alpaca", "ALPACA_KEY_ID"],
  ["alpaca", "ALPACA_SECRET_KEY"],
] as const;

/** Days that the log of events is kept for. */
const eventRetentionDays = z.coerce.number().int().min(1).max(3_650).default(30);

type MarketDataEnv = z.output<z.ZodObject<typeof marketData>>;

const withProviderNeeds = <T extends z.ZodType<MarketDataEnv>>(shape: T): T =>
  PROVIDER_NEEDS.reduce(
    (schema, [provider, name]) =>
      schema.refine((env) => env.MARKET_DATA_PROVIDER !== provider || env[name] !== undefined, {
        path: [name],
        error: `is required with MARKET_DATA_PROVIDER=${provider}`,
        // Reported also where other variables are wrong, so that one start shows everything that needs a correction.
        when: () => true,
      }),
    shape,
  );

const schemas = {
  api: withProviderNeeds(
    z
      .object(apiShape)
      .refine(
        (env) =>
          !env.SANDBOX_AUTH_CAUSE ||
          (env.NODE_ENV === "development" && env.MARKET_DATA_PROVIDER === "sandbox"),
        {
          path: ["SANDBOX_AUTH_CAUSE"],
          error: "is for a sandbox alone, with NODE_ENV=development and MARKET_DATA_PROVIDER=sandbox",
        },
      )
      .refine(keepsLoopbackRule, LOOPBACK_RULE),
  ),
  worker: withProviderNeeds(
    z.object({
      ...shared,
      ...attributionKeys,
      ...marketData,
      DATABASE_LISTEN_URL: apiShape.DATABASE_LISTEN_URL,
      HOST: apiShape.HOST,
      /** Port of the worker's /livez, /readyz and /metrics. */
      PORT: port.default(8081),
      DATABASE_POOL_MAX: apiShape.DATABASE_POOL_MAX,
      DATABASE_PREPARED_STATEMENTS: apiShape.DATABASE_PREPARED_STATEMENTS,
      EVENT_RETENTION_DAYS: eventRetentionDays,
      /** `on`: writes events key.expiring, maintenance.*, status.changed and distribution.applied, which release 0.3.0 cannot read. */
      KEY_AND_STATUS_EVENTS: z
        .enum(["on", "off"])
        .default("off")
        .transform((value) => value === "on"),
      /** Private keys of the wallets that send for users, comma separated. */
      SENDER_KEYS: z.string().optional(),
      /** A file with one such key a line. */
      SENDER_KEYS_FILE: z.string().optional(),
      /** Encrypted key files (Web3 Secret Storage, version 3), comma separated paths, with one password. */
      SENDER_KEYSTORES: z.string().optional(),
      SENDER_KEYSTORE_PASSWORD: z.string().optional(),
      /** A file that holds that password. */
      SENDER_KEYSTORE_PASSWORD_FILE: z.string().optional(),
      /** Driver of a PKCS#11 device with keys of wallets, the label of its token, and the keys' labels, comma separated. */
      SENDER_HSM_DRIVER: z.string().optional(),
      SENDER_HSM_TOKEN: z.string().optional(),
      SENDER_HSM_KEYS: z.string().optional(),
      /** PIN of its user, or a file that holds it. */
      SENDER_HSM_PIN: z.string().optional(),
      SENDER_HSM_PIN_FILE: z.string().optional(),
    }),
  ),
  deliverer: z
    .object({
      DATABASE_URL: shared.DATABASE_URL,
      LOG_LEVEL: shared.LOG_LEVEL,
      ...webhooks,
      /** Read with WEBHOOK_LOOPBACK=on alone: its chains have to be development chains. */
      DEPLOYMENTS_FILE: shared.DEPLOYMENTS_FILE.optional(),
      DATABASE_LISTEN_URL: apiShape.DATABASE_LISTEN_URL,
      HOST: apiShape.HOST,
      /** Port of the deliverer's /livez, /readyz and /metrics. */
      PORT: port.default(8084),
      DATABASE_POOL_MAX: apiShape.DATABASE_POOL_MAX,
      DATABASE_PREPARED_STATEMENTS: apiShape.DATABASE_PREPARED_STATEMENTS,
      EVENT_RETENTION_DAYS: eventRetentionDays,
    })
    .refine(keepsLoopbackRule, LOOPBACK_RULE)
    .refine((env) => !env.WEBHOOK_LOOPBACK || env.DEPLOYMENTS_FILE !== undefined, {
      path: ["DEPLOYMENTS_FILE"],
      error: "is required with WEBHOOK_LOOPBACK=on",
    }),
  indexer: z.object({
    ...shared,
    HOST: apiShape.HOST,
    /** Port of the indexer's /livez, /readyz and /metrics. */
    PORT: port.default(8082),
    /** Ids of the chains that this indexer follows, comma separated; all of the deployments file by default. */
    INDEXER_CHAINS: z
      .string()
      .regex(/^\d{1,10}(,\d{1,10})*$/, "must be chain ids, comma separated")
      .transform((ids) => ids.split(",").map(Number))
      .optional(),
  }),
  prober: z.object({
    DEPLOYMENTS_FILE: shared.DEPLOYMENTS_FILE,
    LOG_LEVEL: shared.LOG_LEVEL,
    HOST: apiShape.HOST,
    /** Port of the prober's /livez, /readyz and /metrics. */
    PORT: port.default(8085),
    /** Public URL of the API, including a path prefix. */
    PROBE_URL: httpUrl.transform((url) => url.replace(/\/$/, "")),
    /** A READ_ONLY key of its own, with every scope of the deployments file. */
    PROBE_API_KEY: z.string().min(1),
    PROBE_API_SECRET: z.string().min(1),
    /** From the start of one round of probes to the start of the next. */
    PROBE_INTERVAL_SECONDS: z.coerce.number().min(1).max(60).default(5),
  }),
  migrate: z.object({ DATABASE_URL: shared.DATABASE_URL, LOG_LEVEL: shared.LOG_LEVEL }),
  "backup check": z.object({
    /** Database that backups are restored into, as the administrator of its server. */
    ...shared,
    HOST: apiShape.HOST,
    /** Port of its /livez, /readyz and /metrics. */
    PORT: port.default(8086),
    /** Directory with the backups. */
    BACKUPS_DIRECTORY: z.string().default("/backups"),
  }),
  /** The CLI: a command for an emergency requires no more than it uses. */
  cli: z.object({ DATABASE_URL: shared.DATABASE_URL }),
  "cli wallets": z.object({
    DATABASE_URL: shared.DATABASE_URL,
    DEPLOYMENTS_FILE: shared.DEPLOYMENTS_FILE,
    ATTRIBUTION_KEYS: keyRing.optional(),
  }),
  "cli reconcile": z.object({
    DATABASE_URL: shared.DATABASE_URL,
    DEPLOYMENTS_FILE: shared.DEPLOYMENTS_FILE,
    ATTRIBUTION_KEYS: keyRing.optional(),
  }),
  "cli webhooks": z.object({ DATABASE_URL: shared.DATABASE_URL, WEBHOOK_KEYS: keyRing }),
  "cli keys": z.object({
    DATABASE_URL: shared.DATABASE_URL,
    DEPLOYMENTS_FILE: shared.DEPLOYMENTS_FILE,
    MASTER_KEYS: keyRing,
  }),
};

export type Program = keyof typeof schemas;
export type Env<P extends Program> = z.output<(typeof schemas)[P]>;

/** Variables that each program reads; docs/configuration.md documents them all. */
export const ENV_NAMES = Object.fromEntries(
  Object.entries(schemas).map(([program, schema]) => [program, Object.keys(schema.shape)]),
);

/**
 * Parses the environment for one program. An empty variable is one that is not set, as deployment tools leave them.
 * @throws Error naming every wrong or missing variable, one a line, and never its value.
 */
export function parseEnv<P extends Program>(program: P, env: NodeJS.ProcessEnv): Env<P> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = schemas[program].safeParse(set);
  if (result.success) return result.data as Env<P>;
  const lines = result.error.issues.map(({ code, path, message }) => {
    const name = path.join(".");
    const missing = code !== "custom" && set[name] === undefined;
    return `  ${name}: ${missing ? "is required" : message}`;
  });
  throw new Error(`the environment of ${program} is not valid:\n${lines.join("\n")}`);
}
