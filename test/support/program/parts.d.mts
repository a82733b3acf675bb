export interface Part {
  /** Why a machine may lack it. */
  reason: string;
  isPresent(): boolean;
}
export const PARTS: { pgbouncer: Part; python3: Part; root: Part };
export function needs(part: string): string;
export function findProgram(name: string): string | null;
