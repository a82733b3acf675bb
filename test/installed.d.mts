import type { SpawnSyncOptions } from "node:child_process";

export const NODE_VERSIONS: readonly string[];
export const POSTGRES_VERSIONS: Readonly<Record<string, string>>;
export function installOnce(name: string, wanted: string, env?: NodeJS.ProcessEnv): string;
export function run(program: string, args: readonly string[], options: SpawnSyncOptions): void;
