import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Address, parseEther } from "viem";
import { LONG } from "../../../test/support/assert/long.ts";
import { until } from "../../../test/support/assert/until.ts";
import { startAnvil } from "../../../test/support/chain/anvil.ts";
import { account } from "../../../test/support/chain/product.ts";
import type { Anvil, AnvilOptions } from "../src/anvil.ts";
import { createMining } from "../src/mining.ts";
import { rpc, rpcTo } from "../src/rpc.ts";
import { connect, sendAll } from "../src/transact.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const someone: Address = "0x1111111111111111111111111111111111111111";

let folder: string;
let running: Anvil[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "anvil-test-"));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((anvil) => anvil.stop()));
  await rm(folder, { recursive: true });
});

async function start(options: Partial<AnvilOptions> = {}): Promise<Anvil> {
  const anvil = await startAnvil(options);
  running.push(anvil);
  return anvil;
}

const clientOf = ({ rpcUrl, chainId }: Anvil) => connect(rpcUrl, chainId);
const pay = (anvil: Anvil, coins: string) =>
  sendAll(clientOf(anvil), account(0), [
    { name: "a payment", to: someone, value: parseEther(coins), gas: 21_000n },
  ]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a chain", () => {
  it("has the id asked for and a port of its own, and mines at once", async () => {
    const [one, other] = await Promise.all([start(), start({ chainId: 31338 })]);
    expect(one.port).not.toBe(other.port);
    expect(await clientOf(one).getChainId()).toBe(31337);
    expect(await clientOf(other).getChainId()).toBe(31338);
    await pay(one, "1");
    expect(await clientOf(one).getBlockNumber()).toBe(1n);
    expect(await clientOf(other).getBlockNumber()).toBe(0n);
  });

  it("mines by itself too where told to", async () => {
    const anvil = await start({ blockTimeSeconds: 1 });
    const [receipt] = await pay(anvil, "1");
    const mined = Number(receipt?.blockNumber);
    await until("blocks without transactions", async () => {
      return Number(await clientOf(anvil).getBlockNumber()) >= mined + 2 || undefined;
    });
  });

  it("is gone after stop, which may be called again", async () => {
    const anvil = await start();
    await anvil.stop();
    expect(isAlive(anvil.pid)).toBe(false);
    await anvil.stop();
    // It ends by itself, or by the signal where that comes before anvil listens to signals; it is never killed.
    expect([
      { code: 0, signal: null },
      { code: null, signal: "SIGTERM" },
    ]).toContainEqual(await anvil.exited);
  });

  it("says why it does not start", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    await expect(start({ port: address.port })).rejects.toThrow(/anvil ended with code 1:.*in use/s);
    server.close();
  });
});

describe("the pool", () => {
  it("is emptied, also of more than one block takes", async () => {
    const anvil = await start();
    // A block takes a transaction only where all of its gas still fits: about fifty of these.
    const steps = Array.from({ length: 160 }, () => ({
      name: "a payment",
      to: someone,
      value: 1n,
      gas: 29_000_000n,
    }));
    const receipts = await sendAll(clientOf(anvil), account(0), steps);
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).toBeGreaterThan(2);
    expect(await clientOf(anvil).getBalance({ address: someone })).toBe(160n);
  }, 120_000);

  it("loses none of many sent while others are mined", async () => {
    const anvil = await start();
    const client = clientOf(anvil);
    const sender = account(0);
    for (let round = 0; round < (LONG ? 10 : 4); round++) {
      const first = round * 30;
      const signed = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          sender.signTransaction({
            type: "eip1559",
            chainId: anvil.chainId,
            to: someone,
            value: 1n,
            gas: 21_000n,
            nonce: first + index,
            maxFeePerGas: 100_000_000_000n,
            maxPriorityFeePerGas: 1_000_000_000n,
          }),
        ),
      );
      await Promise.all(
        signed.map((serializedTransaction) => client.sendRawTransaction({ serializedTransaction })),
      );
      await until("all of the round mined", async () => {
        return (await client.getTransactionCount({ address: sender.address })) === first + 30 || undefined;
      });
    }
  });

  it("waits where mining is switched off", async () => {
    const anvil = await start();
    const client = clientOf(anvil);
    const request = (method: string, params: unknown[]) => client.transport.request({ method, params });
    await request("evm_setAutomine", [false]);
    const payment = pay(anvil, "1");
    await until("the payment in the pool", async () => {
      const { pending } = (await request("txpool_status", [])) as { pending: string };
      return pending === "0x1" || undefined;
    });
    const later = Date.now() + 1_000;
    await until("some looks of the watch", () => Date.now() > later || undefined);
    expect(await client.getBlockNumber()).toBe(0n);
    await request("evm_mine", []);
    await payment;
  });
});

describe("mining", () => {
  const ask = (anvil: Anvil, method: string, params: unknown[] = []): Promise<unknown> =>
    clientOf(anvil).transport.request({ method, params });
  const heads = async (anvil: Anvil, seconds: number) => {
    const from = Date.now();
    const seen = new Set<bigint>();
    await until("time passed", async () => {
      seen.add(await clientOf(anvil).getBlockNumber());
      return Date.now() > from + seconds * 1_000 || undefined;
    });
    return seen.size;
  };

  it("is switched off for the clock too, and takes what waits when it is switched on", async () => {
    const anvil = await start({ blockTimeSeconds: 1 });
    await anvil.mining.set(false);
    expect(anvil.mining.isOn).toBe(false);
    const payment = pay(anvil, "1");
    expect(await heads(anvil, 2.5)).toBe(1);
    expect(await clientOf(anvil).getBalance({ address: someone })).toBe(0n);
    await anvil.mining.set(true);
    expect(await clientOf(anvil).getBalance({ address: someone })).toBe(parseEther("1"));
    await payment;
    expect(await heads(anvil, 2.5)).toBeGreaterThan(1);
  });

  it("of a chain with a clock of its own goes on by that clock", async () => {
    const anvil = await start();
    await ask(anvil, "evm_setIntervalMining", [1]);
    const mining = createMining(rpcTo(anvil.rpcUrl));
    await mining.set(false);
    expect(await heads(anvil, 2.5)).toBe(1);
    await mining.set(true);
    expect(await ask(anvil, "anvil_getIntervalMining")).toBe(1);
    expect(await ask(anvil, "anvil_getAutomine")).toBe(false);
    expect(await heads(anvil, 2.5)).toBeGreaterThan(1);
  });
});

describe("a chain that is kept", () => {
  const state = () => join(folder, "state.json");

  it("goes on where it stopped, its past readable", async () => {
    const first = await start({ statePath: state() });
    const [receipt] = await pay(first, "1");
    await first.stop();
    const second = await start({ statePath: state() });
    expect(await clientOf(second).getBalance({ address: someone })).toBe(parseEther("1"));
    expect(await clientOf(second).getBlockNumber()).toBe(1n);
    const hash = receipt?.transactionHash ?? "0x";
    expect((await clientOf(second).getTransactionReceipt({ hash })).blockHash).toBe(receipt?.blockHash);
    await pay(second, "1");
    expect(await clientOf(second).getBalance({ address: someone })).toBe(parseEther("2"));
  });

  it("has the same first block however often it is started", async () => {
    const first = await start({ statePath: state() });
    await pay(first, "1");
    const { hash: genesis } = await clientOf(first).getBlock({ blockNumber: 0n });
    await first.stop();
    // Each start adds a genesis block to the file, and any of them could be read as block 0.
    const last = LONG ? 9 : 4;
    for (let starts = 2; starts <= last; starts++) {
      const again = await start({ statePath: state() });
      const [zero, one] = await Promise.all(
        [0n, 1n].map((blockNumber) => clientOf(again).getBlock({ blockNumber })),
      );
      expect([starts, zero?.hash, one?.parentHash]).toEqual([starts, genesis, genesis]);
      await pay(again, "1");
      await again.stop();
    }
    expect(await clientOf(await start({ statePath: state() })).getBalance({ address: someone })).toBe(
      parseEther(String(last)),
    );
  });

  it("keeps a clock that was moved forward: no block is older than its parent", async () => {
    const first = await start({ statePath: state() });
    await rpc(first.rpcUrl, "evm_increaseTime", [3_600]);
    await pay(first, "1");
    const { timestamp } = await clientOf(first).getBlock();
    await first.stop();
    const second = await start({ statePath: state() });
    await pay(second, "1");
    expect((await clientOf(second).getBlock()).timestamp).toBeGreaterThanOrEqual(timestamp);
  });

  it("loses no more than its last moments when it is killed", async () => {
    const first = await start({ statePath: state() });
    await pay(first, "1");
    const paid = Date.now();
    await until("a state written after the payment", () => {
      const written = statSync(state(), { throwIfNoEntry: false });
      return (written !== undefined && written.mtimeMs > paid + 1_000) || undefined;
    });
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const second = await start({ statePath: state() });
    expect(await clientOf(second).getBalance({ address: someone })).toBe(parseEther("1"));
  });

  it("says so when its state cannot be read", async () => {
    await writeFile(state(), '{"block":');
    await expect(start({ statePath: state() })).rejects.toThrow(/failed to parse json file/);
  });
});

describe("whoever started it", () => {
  it("takes it along, even when killed", async () => {
    const script = `
      import { startAnvil } from "./packages/sandbox/src/anvil.ts";
      const { pid } = await startAnvil({ chainId: 31337 });
      process.stdout.write(String(pid));
    `;
    const args = ["--import", "tsx", "--input-type=module", "--eval", script];
    const starter = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    const [printed] = await once(starter.stdout, "data");
    const pid = Number(printed);
    expect(isAlive(pid)).toBe(true);
    starter.kill("SIGKILL");
    await until("the chain to end with its starter", () => !isAlive(pid) || undefined);
  });
});
