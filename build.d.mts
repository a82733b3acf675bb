/** Bundles the programs, and more entry points, into a directory (dist/ by default), and returns that. */
export function build(more?: string[], directory?: string): Promise<string>;
