import type { Section } from "../report/result.ts";
import type { BenchSandbox } from "./start.ts";

/** A scenario over a whole sandbox: all programs run, on data of their own making. */
export interface SandboxContext extends BenchSandbox {
  isQuick: boolean;
}

export type SandboxScenario = (context: SandboxContext, report: (section: Section) => void) => Promise<void>;

/** A scenario that starts all it needs itself. */
export type OwnSandboxScenario = (
  options: { isQuick: boolean },
  report: (section: Section) => void,
) => Promise<void>;
