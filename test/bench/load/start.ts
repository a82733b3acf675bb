import { type ChildProcess, fork } from "node:child_process";
import { benchScript } from "../programs.ts";
import type { Job, Outcome } from "./job.ts";

/** The load generator, in a process of its own. */
export interface Generator {
  /** Runs a job. @throws Error describing the first wrong answer */
  run(job: Job): Promise<Outcome>;
  stop(): void;
}

type Reply = { outcome: Outcome } | { problem: string };

export function startGenerator(): Generator {
  const child: ChildProcess = fork(benchScript("test/bench/load/generator.ts"), {
    execArgv: ["--max-semi-space-size=64"],
  });
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const ended = (code: number | null) =>
          reject(new Error(`the load generator ended with code ${code}`));
        child.once("exit", ended);
        child.once("message", (reply: Reply) => {
          child.removeListener("exit", ended);
          if ("outcome" in reply) resolve(reply.outcome);
          else reject(new Error(reply.problem));
        });
        child.send(job);
      }),
    stop: () => void child.kill(),
  };
}
