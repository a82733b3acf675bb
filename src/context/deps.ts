import type pg from "pg";
import type { Logger } from "pino";
import type { KeyLimits } from "../auth/rate-limits.ts";
import type { MasterKey } from "../auth/secrets.ts";
import type { Chains } from "../chain/clients.ts";
import type { Deployments } from "../config/deployments.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import type { Notifications } from "../db/notifications.ts";
import type { MarketData } from "../market-data/provider.ts";
import type { Crash } from "./crash-points.ts";

/** A key that signs attributions, 32 bytes. The id is the operator's name for it; it is no part of what is signed. */
export interface AttributionKey {
  id: string;
  key: Uint8Array;
}

/** Settings of webhooks (docs/webhooks.md). */
export interface WebhookSettings {
  /** Keys that seal secrets of webhooks: the first one seals, all of them open. */
  keys: readonly MasterKey[];
  /** True in a sandbox: http, and the loopback interface, are targets too. */
  allowLoopback: boolean;
  /** Returns the addresses of a host, by DNS. */
  resolve: (host: string) => Promise<readonly string[]>;
}

/**
 * The dependencies of all functions, built once by a composition root (main.ts, worker.ts, deliverer.ts) and handed down as the first
 * argument. There is no other way to reach a database, a chain or the clock.
 */
export interface Deps {
  prisma: PrismaClient;
  /** For statements of db/query.ts: those whose commit must be certain, and reads that the query API cannot say. */
  pool: pg.Pool;
  deployments: Deployments;
  /** Every chain of the deployments file, by chain id. */
  chains: Chains;
  marketData: MarketData;
  /** Keys that seal API secrets, of a program that makes some; else none. The first one seals. */
  masterKeys: readonly MasterKey[];
  /** Keys that sign attributions: the first one signs, all of them verify. */
  attributionKeys: readonly AttributionKey[];
  webhooks: WebhookSettings;
  /** Limits of each key; `inFlight` is of this process. 0: none. */
  limits: KeyLimits & { inFlight: number };
  log: Logger;
  /** The time, Unix milliseconds. */
  now: () => number;
  /** Notified when a request to send changes state; without it, waits poll. */
  notifications?: Notifications;
  /** Names of parts that do not answer, beside database, chains and programs: for dashboards. */
  failingParts?: () => Promise<readonly string[]>;
  /** Name and colour of this installation: for dashboards. */
  environment?: { name: string; colour: string } | undefined;
  /** Maximum wait of an answer for the broadcast of its request, milliseconds; 3,000 by default. */
  broadcastWaitMs?: number;
  /** Maximum wait of the record of a transaction for the rows of its key, milliseconds; 2,000 by default. */
  rowsWaitMs?: number;
  /** Points at which tests kill the process. */
  crash?: Crash | undefined;
}
