import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import pino from "pino";
import { type Job, startJobs } from "../../src/context/jobs.ts";

const log = pino({ enabled: false });
const job = (run: Job["run"], name = "a"): Job => ({ name, everyMs: 1_000, run });

describe("startJobs", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it("runs each job now and then again, never two runs of one at a time", async () => {
    let open = 0;
    const run = jest.fn(async () => {
      open += 1;
      expect(open).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      open -= 1;
    });
    const jobs = startJobs([job(run)], log);
    await jest.advanceTimersByTimeAsync(13_000);
    expect(run).toHaveBeenCalledTimes(3);
    const stopped = jobs.stop();
    await jest.advanceTimersByTimeAsync(5_000);
    await stopped;
    expect(open).toBe(0);
  });

  it("goes on after a failure, and tells which job fails meanwhile", async () => {
    const run = jest.fn<Job["run"]>().mockRejectedValueOnce(new Error("x")).mockResolvedValue(null);
    const jobs = startJobs([job(run), job(async () => null, "b")], log);
    await jest.advanceTimersByTimeAsync(0);
    expect(jobs.failing()).toEqual(["a"]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(jobs.failing()).toEqual([]);
    await jobs.stop();
  });

  it("repeats a job that fails soon, whatever its time, and with longer and longer pauses up to a minute", async () => {
    const run = jest.fn<Job["run"]>().mockRejectedValue(new Error("x"));
    const jobs = startJobs([{ name: "a", everyMs: 600_000, run }], log);
    for (const [failures, pauseMs] of [
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
    ].entries()) {
      await jest.advanceTimersByTimeAsync(pauseMs - 1);
      expect(run).toHaveBeenCalledTimes(failures + 1);
      await jest.advanceTimersByTimeAsync(1);
      expect(run).toHaveBeenCalledTimes(failures + 2);
    }
    run.mockResolvedValue(null);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(jobs.failing()).toEqual([]);
    run.mockClear();
    await jest.advanceTimersByTimeAsync(599_999);
    expect(run).not.toHaveBeenCalled();
    await jobs.stop();
  });

  it("asks a job that has no fixed time after each run when the next one is due", async () => {
    const run = jest.fn<Job["run"]>().mockResolvedValue(null);
    const everyMs = jest.fn<() => Promise<number>>().mockResolvedValueOnce(5_000).mockResolvedValue(2_000);
    const jobs = startJobs([{ name: "a", everyMs, run }], log);
    await jest.advanceTimersByTimeAsync(4_999);
    expect(run).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(run).toHaveBeenCalledTimes(3);
    await jobs.stop();
  });

  it("tries a job again after a second where it could not say when it is due", async () => {
    const run = jest.fn<Job["run"]>().mockResolvedValue(null);
    const everyMs = jest.fn<() => Promise<number>>().mockRejectedValueOnce(new Error("x"));
    const jobs = startJobs([{ name: "a", everyMs: everyMs.mockResolvedValue(60_000), run }], log);
    await jest.advanceTimersByTimeAsync(0);
    expect(jobs.failing()).toEqual(["a"]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(run).toHaveBeenCalledTimes(2);
    expect(jobs.failing()).toEqual([]);
    await jobs.stop();
  });

  it("waits for the run under way when it stops, and starts none after", async () => {
    let finish: () => void = () => undefined;
    const run = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const jobs = startJobs([job(run)], log);
    let isStopped = false;
    const stopped = jobs.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(isStopped).toBe(false);
    finish();
    await stopped;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
