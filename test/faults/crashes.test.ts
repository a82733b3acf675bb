import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { generatePrivateKey } from "viem/accounts";
import { CRASH_POINTS, type CrashPoint } from "../../src/context/crash-points.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { blockDelegation, lockDelegation } from "../../src/sending/delegation/store.ts";
import { cancelAccepted } from "../../src/sending/outbox/end-store.ts";
import { submit } from "../../src/sending/outbox/submit.ts";
import { createLocalSigner } from "../../src/sending/signer/signer.ts";
import { until } from "../support/assert/until.ts";
import { openPool } from "../support/db/pool.ts";
import { startTcpProxy } from "../support/db/tcp-proxy.ts";
import {
  type ChainFixture,
  confirm,
  type DrivenWallet,
  type DriveWalletOptions,
  driveWallet,
  minedFrom,
  startChainFixture,
} from "../support/sender/chain-fixture.ts";
import { newSend } from "../support/sender/new-send.ts";
import { type SendProcessOptions, startSendProcess } from "../support/sender/send-processes.ts";

/**
 * docs/faults.md, rows 1, 3 and 20 to 22: processes that die, callers that repeat, commits whose outcome nobody
 * hears.
 */
let fixture: ChainFixture;
let driven: DrivenWallet | null = null;

beforeAll(async () => {
  fixture = await startChainFixture();
});
afterAll(() => fixture?.close());
afterEach(async () => {
  fixture.proxy.rule = null;
  await driven?.stop();
  driven = null;
});

async function driveOne(options: DriveWalletOptions = {}): Promise<DrivenWallet> {
  driven = await driveWallet(fixture, options);
  return driven;
}

/** Expects all requests of a wallet to be on its chain once, and nothing else. */
async function expectOnce(one: DrivenWallet, count: number): Promise<void> {
  const requests = () =>
    fixture.pool.query<{ state: string; call_data: Buffer; nonce: string; tx_hash: string }>(
      "SELECT state, call_data, nonce, tx_hash FROM app.send_request WHERE wallet = $1 ORDER BY nonce",
      [one.signer.address],
    );
  await until(
    "all are mined",
    async () => {
      const { rows } = await requests();
      return (
        (rows.length === count && rows.every(({ state }) => ["mined", "final"].includes(state))) || undefined
      );
    },
    150_000,
  );
  await confirm(fixture);
  const rows = await until("all are final", async () => {
    const found = (await requests()).rows;
    return found.every(({ state }) => state === "final") ? found : undefined;
  });
  const mined = await minedFrom(fixture.chain, one.signer.address);
  expect(mined.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => index));
  expect(mined.map(({ input }) => input)).toEqual(
    rows.map(({ call_data }) => `0x${call_data.toString("hex")}`),
  );
  expect(mined.map(({ hash }) => hash)).toEqual(rows.map(({ tx_hash }) => tx_hash));
}

it("row 1: 200 sends at once have contiguous nonces, each once", async () => {
  const one = await driveOne({ config: { bumpAfterMs: 60_000 } });
  await Promise.all(Array.from({ length: 200 }, () => one.send()));
  await expectOnce(one, 200);
});

describe("rows 3 and 89: a worker killed", () => {
  const points = CRASH_POINTS.filter((point) => !/^(submit|fire):/.test(point));
  const driven: DrivenWallet[] = [];
  let crashes: Map<string, Promise<void>>;
  // Each waits for the end of a lease: they do so together.
  beforeAll(() => {
    crashes = new Map(points.map((point) => [point, takeOverAfter(point)]));
    return Promise.allSettled(crashes.values());
  });
  afterAll(() => Promise.all(driven.map((one) => one.stop())));

  it.each(points)("at %s: another one takes over, exactly once", (point) => crashes.get(point));

  async function takeOverAfter(crashAt: CrashPoint): Promise<void> {
    const key = generatePrivateKey();
    const one = await driveWallet(fixture, { signer: createLocalSigner(key) });
    driven.push(one);
    await one.stop();
    const victim = await startSendProcess({
      databaseUrl: fixture.databaseUrl,
      rpcUrls: [fixture.proxy.url],
      caller: fixture.caller,
      keys: [key],
      crashAt,
    });
    await one.send();
    await one.send();
    if (crashAt.startsWith("final")) {
      await until(
        "both are mined",
        async () => (await minedFrom(fixture.chain, one.signer.address)).length === 2 || undefined,
      );
      await confirm(fixture);
    }
    await victim.exited;
    await one.start();
    await expectOnce(one, 2);
  }
});

it("rows 20 and 21: one Idempotency-Key is one transaction and one answer; with another body it is refused", async () => {
  const one = await driveOne();
  const send = newSend(one.signer.address, one.user, {
    idempotencyKey: "twenty",
    clientOrderId: "twenty",
    inputHash: "a",
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => submit(one.deps, one.caller, send)));
  expect([...new Set(answers.map(({ requestId }) => requestId))]).toEqual([answers[0]?.requestId]);
  await expect(submit(one.deps, one.caller, { ...send, inputHash: "b" })).rejects.toMatchObject({
    errCode: "IDEMPOTENCY_KEY_REUSED",
  });
  await expect(submit(one.deps, one.caller, { ...send, idempotencyKey: "other" })).rejects.toMatchObject({
    errCode: "CLIENT_ORDER_ID_REUSED",
  });
  await expectOnce(one, 1);
});

it("row 22: a connection cut during COMMIT: the row is read again, and sent once", async () => {
  const url = new URL(fixture.databaseUrl);
  const tcp = await startTcpProxy(Number(url.port));
  url.port = String(tcp.port);
  const pool = openPool({ connectionString: url.href, max: 5 });
  try {
    const one = await driveOne({ databasePool: pool });
    let cuts = 6;
    // Cuts every other commit of the replica and the worker.
    tcp.cutAfter = (data) => data.includes("COMMIT") && cuts > 0 && cuts-- % 2 === 0;
    const id = await one.send();
    await one.send();
    expect((await one.row(id)).requestId).toBe(id);
    await expectOnce(one, 2);
    expect({ cutsLeft: cuts, wasCut: cuts < 6 }).toEqual({ cutsLeft: cuts, wasCut: true });
  } finally {
    await driven?.stop();
    driven = null;
    await pool.end();
    await tcp.close();
  }
});

it("disable cancels what is queued at once, and blocks what comes", async () => {
  const one = await driveOne();
  fixture.proxy.rule = () => "lose-request";
  const ids = [await one.send(), await one.send()];
  const scope = { chainId: fixture.caller.chainId, productType: fixture.caller.productType, user: one.user };
  await inTransaction(fixture.pool, async (tx) => {
    await lockDelegation(tx, scope, "UPDATE");
    await blockDelegation(tx, scope);
    await cancelAccepted(tx, scope);
  });
  for (const id of ids) {
    expect({ id, row: await one.row(id) }).toMatchObject({
      id,
      row: {
        state: "canceled",
        errCode: "DELEGATION_NOT_ENABLED",
        nonce: null,
      },
    });
  }
  await expect(one.send()).rejects.toMatchObject({ errCode: "DELEGATION_NOT_ENABLED" });
});

it("a wallet is driven by one worker at a time, and a worker that lost it writes nothing", async () => {
  const key = generatePrivateKey();
  const signer = createLocalSigner(key);
  const one = await driveOne({ signer });
  const worker: SendProcessOptions = {
    databaseUrl: fixture.databaseUrl,
    rpcUrls: [fixture.proxy.url],
    caller: fixture.caller,
    keys: [key],
  };
  const rivals = [await startSendProcess(worker), await startSendProcess(worker)];
  try {
    for (let round = 0; round < 4; round++) {
      await Promise.all([one.send(), one.send(), one.send()]);
      // Ends the lease for every worker.
      await fixture.pool.query(
        "UPDATE app.delegatee_wallet SET lease_until = now() - interval '1 second' WHERE address = $1",
        [signer.address],
      );
    }
    await expectOnce(one, 12);
  } finally {
    await Promise.all(rivals.map((rival) => rival.kill()));
  }
});
