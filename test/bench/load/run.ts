import { describeProblem, problemOf } from "./check.ts";
import { type Answer, type Connection, openConnection } from "./connection.ts";
import type { Call, Job, Outcome } from "./job.ts";
import { serialize } from "./sign.ts";

interface Prepared {
  call: Call;
  bytes: Buffer;
}

/**
 * Signs all requests of a job, sends them, and checks every answer.
 * @throws Error describing the first wrong answer
 */
export async function runJob(job: Job): Promise<Outcome> {
  const { hostname, port, host } = new URL(job.url);
  const prepared = Array.from({ length: job.requests }, (_, index): Prepared => {
    const call = job.calls[index % job.calls.length];
    if (!call) throw new Error("a job without calls");
    return { call, bytes: serialize(call, host, job.keys) };
  });
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => openConnection(hostname, Number(port))),
  );
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  try {
    const tally = createTally(job);
    const send = job.perSecond === undefined ? sendAtWill : sendOnTime;
    await send(job, prepared, connections, tally, startedMs);
    return tally.outcome(performance.now() - startedMs, process.cpuUsage(cpuBefore));
  } finally {
    for (const connection of connections) connection.close();
  }
}

type Tally = ReturnType<typeof createTally>;

function createTally({ url, allowUnavailable = false }: Job) {
  const latencies: number[] = [];
  let unavailable = 0;
  return {
    count(call: Call, answer: Answer, ms: number): void {
      latencies.push(ms);
      if (allowUnavailable && answer.status === 503) {
        unavailable += 1;
        return;
      }
      const problem = problemOf(call, answer);
      if (problem !== null) throw new Error(describeProblem(url, call, answer, problem));
    },
    outcome(elapsedMs: number, cpu: NodeJS.CpuUsage): Outcome {
      const sorted = Float64Array.from(latencies).sort();
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      const answers = latencies.length - unavailable;
      return {
        answers,
        unavailable,
        elapsedMs,
        perSecond: (answers * 1000) / elapsedMs,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        maxMs: at(1),
        generatorCpu: (cpu.user + cpu.system) / 1000 / elapsedMs,
      };
    },
  };
}

/** Sends on every connection the next request as soon as the last one is answered. */
async function sendAtWill(
  { seconds }: Job,
  prepared: readonly Prepared[],
  connections: readonly Connection[],
  tally: Tally,
  startedMs: number,
): Promise<void> {
  const endMs = startedMs + seconds * 1000;
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (;;) {
        const request = prepared[next++];
        const sentMs = performance.now();
        if (!request || sentMs >= endMs) return;
        const answer = await connection.send(request.bytes);
        tally.count(request.call, answer, performance.now() - sentMs);
      }
    }),
  );
}

/** Requests are due at even distances; one that has to wait for a connection counts from when it was due. */
async function sendOnTime(
  { seconds, perSecond = 1 }: Job,
  prepared: readonly Prepared[],
  connections: readonly Connection[],
  tally: Tally,
  startedMs: number,
): Promise<void> {
  const count = Math.min(prepared.length, Math.floor(seconds * perSecond));
  const dueMs = (index: number) => startedMs + (index * 1000) / perSecond;
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (;;) {
        const index = next++;
        const request = prepared[index];
        if (!request || index >= count) return;
        const waitMs = dueMs(index) - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        // Timers fire up to a millisecond late; that is not the server's.
        const fromMs = waitMs > 0 ? performance.now() : dueMs(index);
        const answer = await connection.send(request.bytes);
        tally.count(request.call, answer, performance.now() - fromMs);
      }
    }),
  );
}
