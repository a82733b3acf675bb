import { readFileSync } from "node:fs";
import { ROOT } from "../../../../src/config/root.ts";
import { createApp } from "../../../../src/http/app.ts";
import { createMetrics } from "../../../../src/http/metrics.ts";
import { createDocs, DOCS_PATHS } from "../../../../src/http/pages/docs.ts";
import { createHttpServer } from "../../../../src/http/server.ts";
import { createLog } from "../../../../src/telemetry/log.ts";

export interface DocsServer {
  url: string;
  stop(): Promise<void>;
}

/** Serves the pages for partners, also below /trading, with the committed OpenAPI document. */
export async function startDocs(): Promise<DocsServer> {
  const log = createLog("test", "info", { write: () => undefined });
  const document = JSON.parse(readFileSync(`${ROOT}docs/openapi.json`, "utf8"));
  const server = createHttpServer({
    log,
    metrics: createMetrics(() => new Map()),
    now: Date.now,
    prefix: "/trading",
    timeouts: { shutdownDelay: 0 },
    app: createApp([createDocs({ document, log })], DOCS_PATHS, Date.now),
  });
  return { url: await server.listen(0, "127.0.0.1"), stop: () => server.stop() };
}
