/**
 * Changes of unreleased migrations that the version before may not survive, each with the reason why it does here: the migration,
 * and its effect in the check's words (CONTRIBUTING.md#migrations). A release empties this list.
 */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

/**
 * Rights that programs of the version before have and do not use, by the full or initial words of
 * `test/db/roles.integration.test.ts`, each with its reason. A release empties this list.
 */
export const UNUSED_RIGHTS: Readonly<Record<string, string>> = {};
