import type { Part } from "./support/program/parts.mjs";

export interface Judged {
  passed: number;
  failed: number;
  skipped: number;
  /** Why the stage may not pass. */
  problems: string[];
}
type Parts = Record<string, Part>;
export function judge(report: object, parts?: Parts): Judged;
export function judgeStage(stage: { name: string; results: string }, root: string, parts?: Parts): Judged;
