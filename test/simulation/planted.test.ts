import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../mutation/sql/checkout.ts";
import { mutate } from "../mutation/sql/mutant.ts";
import { LONG } from "../support/assert/long.ts";
import { PLANTED, type PlantedBug } from "../support/simulation/planted.ts";

/** A simulation that finds nothing proves nothing: it must find each of these bugs (docs/sending.md#simulation). */

const run = promisify(execFile);

/** Time to find one: several times what the slowest takes. */
const LIMIT_MS = 170_000;
/** The others are found in the long form: each takes up to a minute. */
const HUNTED = PLANTED.filter(({ id }) => LONG || id === "filler-confirmed");

const planted = (bug: PlantedBug): string =>
  mutate(readFileSync(join(ROOT, bug.file), "utf8"), { ...bug, tests: [] });

it("every planted bug changes its file in one place", () => {
  expect(PLANTED.map((bug) => planted(bug).length > 0)).toEqual(PLANTED.map(() => true));
});

describe("the simulation finds that", () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), "partner-trading-planted-"));
    for (const part of ["src", "test", "package.json", "tsconfig.json"])
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it.each(HUNTED)(
    "$title",
    async (bug) => {
      const file = join(copy, bug.file);
      writeFileSync(file, planted(bug));
      const hunt = [
        "--import",
        "tsx",
        "test/support/simulation/hunt.ts",
        String(LIMIT_MS),
        ...(bug.world ? [bug.world] : []),
      ];
      const { stdout } = await run(process.execPath, hunt, {
        cwd: copy,
        env: { ...process.env, NODE_OPTIONS: "" },
      }).finally(() => writeFileSync(file, readFileSync(join(ROOT, bug.file))));
      const hunted: unknown = JSON.parse(stdout);
      if (LONG) process.stdout.write(`${bug.id}: ${stdout}\n`);
      expect(hunted).toMatchObject({ found: { rule: expect.any(String) } });
    },
    2 * LIMIT_MS,
  );
});
