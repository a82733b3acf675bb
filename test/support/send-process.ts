// A worker with the tests' short times, in a process of its own that kills itself where it is told to. Its one argument
// is JSON (SendProcessOptions). It prints a line once it runs.
import pg from "pg";
import { pino } from "pino";
import { CHANNELS, createBell } from "../../src/transactions/outbox/bell.ts";
import { createNodes } from "../../src/transactions/sender/nodes.ts";
import { startSender } from "../../src/transactions/sender/worker.ts";
import { createLocalSigner } from "../../src/transactions/signer/signer.ts";
import type { SendProcessOptions } from "./send-processes.ts";
import { FAST } from "./sender-rig.ts";

const options: SendProcessOptions = JSON.parse(process.argv[2] ?? "{}");
const log = pino({ level: "warn" }, pino.destination(2));
const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 10, connectionTimeoutMillis: 3_000 });
pool.on("error", () => undefined);

let left = options.crashAfter ?? 1;
const crash = (point: string): void => {
  if (point === options.crashAt && --left === 0) process.kill(process.pid, "SIGKILL");
};
const deps = { pool, log, now: Date.now, crash };

async function runWorker(): Promise<void> {
  const nodes = createNodes({
    chainId: options.caller.chainId,
    rpcUrls: options.rpcUrls,
    confirmations: 3,
    timeoutMs: 1_000,
  });
  const signers = (options.keys ?? []).map(createLocalSigner);
  const workBell = createBell(options.databaseUrl, CHANNELS.work, log);
  // A process that waits for its lease longer than a test does helps nobody.
  const config = { ...FAST, pollMs: 100, bumpAfterMs: 5_000 };
  await startSender({ ...deps, config, alarm: () => undefined }, { signers, chains: [nodes], workBell });
  process.stdout.write("running\n");
}

await runWorker();
