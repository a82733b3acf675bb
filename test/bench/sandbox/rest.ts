import { setTimeout as sleep } from "node:timers/promises";
import { createCpuMeter } from "./cpu.ts";
import type { SandboxScenario } from "./scenario.ts";

const SETTLE_S = 15;
const MEASURED_S = 60;

/** Measures the programs without any request; both chains mine a block a second. */
export const rest: SandboxScenario = async ({ isQuick, directory, adminUrl }, report) => {
  const scale = isQuick ? 0.05 : 1;
  await sleep(SETTLE_S * scale * 1000);
  const cpuSeconds = await createCpuMeter(directory, adminUrl);
  const before = cpuSeconds();
  const startedMs = performance.now();
  await sleep(MEASURED_S * scale * 1000);
  const elapsedS = (performance.now() - startedMs) / 1000;
  const after = cpuSeconds();
  report({
    scenario: "rest",
    title: "The sandbox at rest",
    connections: null,
    series: [],
    ratios: [],
    values: [...after].map(([name, seconds]) => ({
      name,
      value: ((seconds - (before.get(name) ?? 0)) / elapsedS) * 100,
      unit: "% of a core",
    })),
  });
};
