// The limit of hooks and tests, several times the duration of the slowest on two cores: it ends tests that hang. Durations
// are measured by test/bench.
import { jest } from "@jest/globals";

jest.setTimeout(180_000);
