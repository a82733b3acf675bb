// `npm run test:parts`: keeps what test files share (a PostgreSQL with a migrated database, and the states of chains) until it is
// interrupted. A run of one file then takes seconds. Runs of other sources, and `npm test`, start parts of their own.

import { offerParts } from "./support/program/kept-parts.mjs";
import setUp from "./support/program/shared-setup.mjs";
import tearDown from "./support/program/shared-teardown.mjs";

// Not those of another one of this program.
process.env.TEST_PARTS = "own";
await setUp();
const withdraw = offerParts();
process.stdout.write("kept for `npx jest -c test/jest.config.mjs FILE`, until Ctrl-C\n");
const alive = setInterval(() => undefined, 60_000);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, async () => {
    clearInterval(alive);
    withdraw();
    await tearDown();
  });
}
