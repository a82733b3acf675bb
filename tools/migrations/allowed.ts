/**
 * Changes of unreleased migrations that the version before may not survive, each with the reason why it does here: the migration,
 * and what it does as the check words it (CONTRIBUTING.md#migrations). A release begins this list anew.
 */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

/**
 * Rights that programs of the version before have and do not use, as `test/db/roles.integration.test.ts` words them or begins to, each
 * with the reason why. A release begins this list anew.
 */
export const UNUSED_RIGHTS: Readonly<Record<string, string>> = {};
