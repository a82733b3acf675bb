// For hooks and tests alike, and several times what the slowest takes on two cores: it ends what hangs, and judges no
// speed. Timings belong to test/bench.
import { jest } from "@jest/globals";

jest.setTimeout(180_000);
