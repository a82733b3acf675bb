import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { type Consumer, createRunner } from "../../src/changes/consumer.ts";

const CHAIN_ID = 31337;
const silent = pino({ level: "silent" });

/** Returns a consumer whose runs the test ends. */
function controlled() {
  const runs: { chainId: number; end: (outcome?: Error | { complete: boolean }) => void }[] = [];
  const consumer: Consumer = {
    name: "test",
    run: (chainId) =>
      new Promise((resolve, reject) => {
        const end = (outcome: Error | { complete: boolean } = { complete: true }) =>
          outcome instanceof Error ? reject(outcome) : resolve(outcome);
        runs.push({ chainId, end });
      }),
  };
  return { runs, consumer };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function start(mayRun = () => true) {
  const { runs, consumer } = controlled();
  const runner = createRunner(consumer, CHAIN_ID, silent, mayRun);
  const end = async (outcome?: Error | { complete: boolean }) => {
    runs.at(-1)?.end(outcome);
    await turn();
  };
  return { runs, runner, end };
}

describe("a consumer of indexed blocks", () => {
  it("runs for its chain", async () => {
    const { runs, runner, end } = start();
    runner.wake();
    expect(runs.map(({ chainId }) => chainId)).toEqual([CHAIN_ID]);
    await end();
    expect(runs).toHaveLength(1);
    await runner.idle();
  });

  it("runs once more for all changes that come while it runs, and not beside itself", async () => {
    const { runs, runner, end } = start();
    runner.wake();
    runner.wake();
    runner.wake();
    expect(runs).toHaveLength(1);
    await end();
    expect(runs).toHaveLength(2);
    await end();
    expect(runs).toHaveLength(2);
  });

  it("runs on at once while it has left something", async () => {
    const { runs, runner, end } = start();
    runner.wake();
    await end({ complete: false });
    expect(runs).toHaveLength(2);
    await end({ complete: true });
    expect(runs).toHaveLength(2);
  });

  it("that failed is reported, and tried again at the next change", async () => {
    const { runs, runner, end } = start();
    runner.wake();
    await end(new Error("no"));
    expect({ runsCount: runs.length, isFailing: runner.isFailing() }).toEqual({
      runsCount: 1,
      isFailing: true,
    });
    runner.wake();
    await end();
    expect({ runsCount: runs.length, isFailing: runner.isFailing() }).toEqual({
      runsCount: 2,
      isFailing: false,
    });
  });

  it("does not run without the lease, and does again with it", async () => {
    let mayRun = false;
    const { runs, runner, end } = start(() => mayRun);
    runner.wake();
    await runner.idle();
    expect(runs).toHaveLength(0);
    mayRun = true;
    runner.wake();
    expect(runs).toHaveLength(1);
    mayRun = false;
    await end({ complete: false });
    expect(runs).toHaveLength(1);
    await runner.idle();
  });

  it("is idle when its run has ended", async () => {
    const { runner, end } = start();
    runner.wake();
    let isIdle = false;
    const idle = runner.idle().then(() => {
      isIdle = true;
    });
    await turn();
    expect(isIdle).toBe(false);
    await end();
    await idle;
  });
});
