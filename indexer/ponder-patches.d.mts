export const PONDER_VERSION: string;
export const PATCHES: readonly {
  name: string;
  problem: string;
  remedy: string;
  changes: Readonly<Record<string, (source: string) => string>>;
  around: readonly string[];
}[];
export function findMisfits(folder: string): string[];
