import { type Request, type Response, Router } from "express";
import type { Logger } from "pino";
import { Gauge } from "prom-client";
import type { Metrics } from "./metrics.ts";
import type { Check } from "./readiness.ts";

export interface Health {
  /** GET /livez, /readyz with what is missing, and /metrics: for the operator's network. No authentication, no secrets. */
  router: Router;
  /** GET /livez and /readyz for any caller: the status alone, without the reason. */
  publicRouter: Router;
  /** Makes /readyz answer 503 from now on, so that no new requests are sent here. */
  shutDown(): void;
}

/** Milliseconds. */
export const CHECK_TIMEOUT_MS = 2_500;

export interface HealthOptions {
  checks: readonly Check[];
  /**
   * Checks of chains. While one of them fails, the program is ready and degraded: the other chains are served, and requests that
   * need this one are refused. Measured like `checks`.
   */
  chains?: readonly Check[];
  /** Checks of what else the program can work without. They are not measured here. */
  partial?: readonly Check[];
  metrics: Metrics;
  log: Logger;
  /** Longest wait for one check, milliseconds; CHECK_TIMEOUT_MS by default. */
  timeoutMs?: number;
  /** Lifetime of an answer of /readyz, milliseconds: frequent probes cost the database nothing. */
  maxAgeMs?: number;
  /** Lifetime of an answer of /metrics, milliseconds: it takes some milliseconds of CPU to render. */
  metricsMaxAgeMs?: number;
  /** Renders /metrics; the metrics alone by default. */
  render?: () => Promise<string>;
}

/**
 * /livez: 200 while the process lives, whatever else is down: a restart would not repair that.
 * /readyz: 200 while every check passes, else 503; to the operator with `missing`, the names of those that fail, or where it
 * is ready with `degraded`, the names of those of chains and of the partial ones that fail. Why they fail is logged.
 */
export function createHealth(options: HealthOptions): Health {
  const {
    checks,
    chains = [],
    partial = [],
    metrics,
    log,
    timeoutMs = CHECK_TIMEOUT_MS,
    maxAgeMs = 250,
    metricsMaxAgeMs = 1_000,
    render = () => metrics.registry.metrics(),
  } = options;
  let shuttingDown = false;
  const missing = remember(() => findMissing(checks, timeoutMs, log, "not ready"), maxAgeMs);
  const failingChains = remember(() => findMissing(chains, timeoutMs, log, "degraded"), maxAgeMs);
  const failingParts = remember(() => findMissing(partial, timeoutMs, log, "degraded"), maxAgeMs);

  new Gauge({
    name: "readiness_check_up",
    help: "Whether a check of /readyz passes: 1 or 0. It runs when /metrics is read",
    labelNames: ["check"],
    registers: [metrics.registry],
    async collect() {
      const failing = (await Promise.all([missing(), failingChains()])).flat();
      for (const { name } of [...checks, ...chains])
        this.set({ check: name }, failing.includes(name) ? 0 : 1);
    },
  });
  const rendered = remember(async () => Buffer.from(await render()), metricsMaxAgeMs);
  const listMissing = async () => (shuttingDown ? ["shutting down"] : await missing());

  const publicRouter = createProbes(listMissing, async () => ({}));
  const router = createProbes(listMissing, async (found) => {
    if (found.length > 0) return { missing: found };
    const failing = (await Promise.all([failingChains(), failingParts()])).flat();
    return failing.length > 0 ? { degraded: failing } : {};
  });
  router.get("/metrics", async (_request: Request, response: Response) => {
    response.set("content-type", metrics.registry.contentType).send(await rendered());
  });
  return {
    router,
    publicRouter,
    shutDown: () => {
      shuttingDown = true;
    },
  };
}

/** @param explain what the body of /readyz shows beside its status */
function createProbes(
  listMissing: () => Promise<string[]>,
  explain: (missing: string[]) => Promise<object>,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/livez", (_request, response) => {
    response.json({ status: "alive" });
  });
  router.get("/readyz", async (_request: Request, response: Response) => {
    const found = await listMissing();
    const more = await explain(found);
    if (found.length === 0) response.json({ status: "ready", ...more });
    else response.status(503).json({ status: "not ready", ...more });
  });
  return router;
}

async function findMissing(
  checks: readonly Check[],
  timeoutMs: number,
  log: Logger,
  message: string,
): Promise<string[]> {
  const results = await Promise.all(
    checks.map(async ({ name, run }) => {
      try {
        await withTimeout(run(), timeoutMs);
        return null;
      } catch (err) {
        log.warn({ err, check: name }, message);
        return name;
      }
    }),
  );
  return results.filter((name) => name !== null);
}

function withTimeout(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Returns a function that names the checks that fail now. The result holds for a time: whoever asks, and however often.
 * @param maxAgeMs milliseconds
 */
export const watchChecks = (
  checks: readonly Check[],
  log: Logger,
  maxAgeMs: number,
): (() => Promise<readonly string[]>) =>
  remember(() => findMissing(checks, CHECK_TIMEOUT_MS, log, "degraded"), maxAgeMs);

/** Shares one run between callers at the same time, and its result for a moment after. */
function remember<T>(run: () => Promise<T>, maxAgeMs: number): () => Promise<T> {
  let current: Promise<T> | null = null;
  return () => {
    if (!current) {
      const started = run();
      current = started;
      const forget = () => setTimeout(() => (current = null), maxAgeMs).unref();
      started.then(forget, forget);
    }
    return current;
  };
}
