/** Writes the package's files into an empty directory. */
export function writePackage(directory: string): Promise<void>;

/** Makes the tarball in a directory, and returns its path. */
export function pack(target: string): Promise<string>;
