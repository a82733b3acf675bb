import type { BuildOptions } from "esbuild";

export type Bundle = BuildOptions & { entryPoints: string[] };

/** Returns the bundle of some programs; `src/bin/api.ts` becomes `<directory>/src/bin/api.js`. */
export function programsBundle(programs: string[]): Bundle;

/** Makes bundles (all of production's and the sandbox's by default) in a directory (dist/ by default), and returns that. */
export function build(bundles?: Bundle[], directory?: string): Promise<string>;

/** The bundle of the partners' command: one file, `<directory>/packages/client/src/cli/main.js`. */
export const partnersCommand: Bundle;
