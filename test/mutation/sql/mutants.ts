import type { Mutant } from "./mutant.ts";
import { AUTH } from "./mutants/auth.ts";
import { MIGRATIONS } from "./mutants/migrations.ts";
import { OUTBOX } from "./mutants/outbox.ts";
import { SENDER } from "./mutants/sender.ts";
import { TRANSACTIONS } from "./mutants/transactions.ts";

/** All mutants, in the order of their areas. */
export const MUTANTS: readonly Mutant[] = [...AUTH, ...TRANSACTIONS, ...OUTBOX, ...SENDER, ...MIGRATIONS];
