/** Compiles these folders (all of the services by default) into a directory (dist/ by default), and returns that. */
export function build(folders?: string[], directory?: string): Promise<string>;
