/** A change of a released document that `test/api/breaking-changes.test.ts` allows, until the next release. */
export interface AllowedChange {
  /** End of the fault that the comparison reports. */
  fault: string;
  /** Rule of docs/versioning.md that allows it, or decision that overrules them. */
  reason: string;
}

export const ALLOWED: readonly AllowedChange[] = [];
