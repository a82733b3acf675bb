// The limit of hooks and tests of a mutant, which many make wait for what never comes: less than Stryker waits, which ends the
// process with all that it has loaded.
import { jest } from "@jest/globals";

jest.setTimeout(30_000);
