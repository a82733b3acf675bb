/** A change of a released document that `test/api/breaking-changes.test.ts` lets pass, until the next release. */
export interface AllowedChange {
  /** The end of the fault that the comparison reports. */
  fault: string;
  /** Why the rules of docs/versioning.md allow it, or which decision overrules them. */
  reason: string;
}

export const ALLOWED: readonly AllowedChange[] = [];
