import type { PartnerTrading } from "../../index.ts";
import type { Market } from "./market.ts";
import type { Outcome, ProgramKey, Running, Task } from "./program.ts";
import type { FaultProxy, HttpExchange } from "./proxy.ts";
import { type Finding, type Findings, finding, type RuleId } from "./rules.ts";

/** Surroundings of a scenario. */
export interface Bench {
  proxy: Pick<FaultProxy, "setFaults">;
  market: Market;
  /** Calls the service past the proxy, with the program's key. */
  trading: PartnerTrading;
  /** Key of the program; a rotation changes it. */
  key: ProgramKey;
  /** Requests of the program in this scenario. */
  exchanges: () => readonly HttpExchange[];
  /** All that the program was sent in this scenario. */
  delivered: () => readonly string[];
  start(task: Task, input: object): Running;
}

/** A situation that a program is put into, once. */
export interface Scenario {
  title: string;
  /** Rules that its run shows kept or broken. */
  rules: readonly RuleId[];
  run(bench: Bench): Promise<Findings>;
}

const RESULT_CHARS = 300;

/** Describes a request and what became of it, without its signature. */
export function describe({ atMs, method, uri, headers, fault, status, envelope }: HttpExchange): string {
  const key = headers["idempotency-key"];
  const parts = [
    `nonce ${headers["x-api-nonce"]}`,
    ...(key === undefined ? [] : [`Idempotency-Key ${key}`]),
    ...(status === null ? [] : [`HTTP ${status}`]),
    ...(envelope?.errCode ? [envelope.errCode] : []),
    ...(fault === null ? [] : [fault]),
    ...(envelope?.uuid ? [`uuid ${envelope.uuid}`] : []),
  ];
  return `${timeOf(atMs)} ${method} ${uri}: ${parts.join(", ")}`;
}

/** Returns the time of day, UTC. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 23);

/** Returns a finding about the program's result; broken where it has none. */
export function resultFinding(
  { result, reason }: Outcome,
  isKept: (result: Readonly<Record<string, unknown>>) => boolean,
  ...evidence: readonly string[]
): Finding {
  if (result === null) return finding(false, `the program has no result: ${reason}`, ...evidence);
  return finding(
    isKept(result),
    `the program's result: ${JSON.stringify(result).slice(0, RESULT_CHARS)}`,
    ...evidence,
  );
}
