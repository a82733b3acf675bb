/** Bundles programs (all of production's and the sandbox by default) into a directory (dist/ by default), and returns that. */
export function build(programs?: string[], directory?: string): Promise<string>;
