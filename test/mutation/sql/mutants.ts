import type { Mutant } from "./mutant.ts";
import { AUTH } from "./mutants/auth.ts";
import { CHANGES } from "./mutants/changes.ts";
import { CLAIMS } from "./mutants/claims.ts";
import { LISTS } from "./mutants/lists.ts";
import { MIGRATIONS } from "./mutants/migrations.ts";
import { OUTBOX } from "./mutants/outbox.ts";
import { OUTSIDE } from "./mutants/outside.ts";
import { PARTNER_TOOLS } from "./mutants/partner-tools.ts";
import { RETIREMENT } from "./mutants/retirement.ts";
import { ROWS } from "./mutants/rows.ts";
import { SENDER } from "./mutants/sender.ts";

/** All mutants, in the order of their areas. */
export const MUTANTS: readonly Mutant[] = [
  ...AUTH,
  ...CHANGES,
  ...CLAIMS,
  ...OUTBOX,
  ...SENDER,
  ...RETIREMENT,
  ...LISTS,
  ...ROWS,
  ...MIGRATIONS,
  ...OUTSIDE,
  ...PARTNER_TOOLS,
];
