import type { Job } from "./job.ts";
import { runJob } from "./run.ts";

// The load generator's process: runs one job at a time, and ends with its parent.
process.on("message", async (job: Job) => {
  try {
    process.send?.({ outcome: await runJob(job) });
  } catch (error) {
    process.send?.({ problem: error instanceof Error ? error.message : String(error) });
  }
});
process.on("disconnect", () => process.exit());
