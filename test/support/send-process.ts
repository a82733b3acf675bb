// A replica that takes requests over HTTP, or a worker that sends them, in a process of its own: so that it can be
// killed at any instant. Its one argument is JSON (SendProcessOptions). A replica prints its port.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { pino } from "pino";
import type { Hex } from "viem";
import { CHANNELS, createBell } from "../../src/transactions/outbox/bell.ts";
import { findByIdempotencyKey, inputHash } from "../../src/transactions/outbox/find.ts";
import { presentSend } from "../../src/transactions/outbox/reply.ts";
import { submit } from "../../src/transactions/outbox/submit.ts";
import { waitForBroadcast } from "../../src/transactions/outbox/wait.ts";
import { createNodes } from "../../src/transactions/sender/nodes.ts";
import { startSender } from "../../src/transactions/sender/worker.ts";
import { createLocalSigner } from "../../src/transactions/signer/signer.ts";
import type { SendProcessOptions } from "./send-processes.ts";
import { FAST, newSend } from "./sender-rig.ts";

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
  process.stdout.write("0\n");
}

/** What a client sends: its key, its user, and what makes the call its own. */
interface Incoming {
  idempotencyKey: string;
  user: Hex;
  wallet: Hex;
  subject: string;
}

async function take({ idempotencyKey, user, wallet, subject }: Incoming): Promise<unknown> {
  const hash = inputHash("POST", "/send", { user, subject });
  const known = await findByIdempotencyKey(pool, options.caller, { idempotencyKey, inputHash: hash });
  if (known) return presentSend(await waitForBroadcast(deps, known.requestId, 1_000));
  const data: Hex = `0x${createHash("sha256").update(subject).digest("hex")}`;
  const send = newSend(wallet, user, { idempotencyKey, inputHash: hash, data });
  return presentSend(await submit({ ...deps, bell }, options.caller, send));
}

const bell = createBell(options.databaseUrl, CHANNELS.state, log);

function runReplica(): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      take(JSON.parse(Buffer.concat(chunks).toString("utf8")))
        .then((reply) => response.end(JSON.stringify(reply)))
        .catch((error: unknown) => {
          const code = error instanceof Error && "errCode" in error ? error.errCode : String(error);
          response.writeHead(500).end(JSON.stringify({ errCode: code }));
        });
    });
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

if (options.role === "worker") await runWorker();
else runReplica();
