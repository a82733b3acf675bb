/** A test file that covers a mutant, and, where the rest of the file adds nothing, a pattern of its tests' names. */
export interface Covering {
  file: string;
  name?: string;
}

/** One protection of a hand-written statement, of a migration or of a single line, and the text without it. */
export interface Mutant {
  /** Area and statement, such as `nonces-revision`. */
  id: string;
  /** Path from the root of the repository. */
  file: string;
  /** Protection that is removed. */
  title: string;
  /** Text that occurs once in the file; with `after`, once behind it. */
  find: string;
  replace: string;
  /** Text that occurs once in the file. */
  after?: string;
  tests: readonly Covering[];
  /** Why no test can fail: for a mutant that changes nothing a caller or a later statement could see. */
  survives?: string;
}

/**
 * Returns the source with the mutant applied.
 * @throws Error where the text is not there, or more than once
 */
export function mutate(source: string, { id, file, find, replace, after }: Mutant): string {
  const from = after === undefined ? 0 : indexOfOnly(source, after, 0, `${id}: ${file}`) + after.length;
  const at = indexOfOnly(source, find, from, `${id}: ${file}`);
  if (replace === find) throw new Error(`${id}: it changes nothing`);
  return source.slice(0, at) + replace + source.slice(at + find.length);
}

function indexOfOnly(source: string, text: string, from: number, where: string): number {
  const at = source.indexOf(text, from);
  if (at < 0) throw new Error(`${where} does not contain: ${text}`);
  if (source.indexOf(text, at + 1) >= 0) throw new Error(`${where} contains more than once: ${text}`);
  return at;
}
