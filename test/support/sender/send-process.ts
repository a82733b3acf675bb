// A worker with the tests' short times, in a process of its own that kills itself at a given step. Its one argument
// is JSON (SendProcessOptions). It prints a line once it runs.
import { pino } from "pino";
import { CHANNELS, listen } from "../../../src/db/notifications.ts";
import { createNodes } from "../../../src/sending/sender/nodes.ts";
import { createSqlStore } from "../../../src/sending/sender/sender-store.ts";
import { startSender } from "../../../src/sending/sender/wallet-loop.ts";
import { createLocalSigner } from "../../../src/sending/signer/signer.ts";
import { createTestPool } from "../db/pool.ts";
import { FAST, RPC_TIMEOUT_MS } from "./chain-fixture.ts";
import { rulesFor, stubFacts } from "./new-send.ts";
import type { SendProcessOptions } from "./send-processes.ts";

const options: SendProcessOptions = JSON.parse(process.argv[2] ?? "{}");
const log = pino({ level: "warn" }, pino.destination(2));
const pool = createTestPool(options.databaseUrl, { max: 10 });

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
    timeoutMs: RPC_TIMEOUT_MS,
  });
  const signers = (options.keys ?? []).map(createLocalSigner);
  const workNotifications = listen(options.databaseUrl, CHANNELS.work, log);
  // A process that waits for its lease longer than a test does is of no use.
  const config = { ...FAST, pollMs: 100, bumpAfterMs: 5_000 };
  await startSender(
    {
      ...deps,
      store: createSqlStore(pool),
      config,
      rules: rulesFor(options.caller.productType),
      facts: stubFacts(),
      alarm: () => undefined,
    },
    { signers, chains: [nodes], workNotifications },
  );
  process.stdout.write("running\n");
}

await runWorker();
