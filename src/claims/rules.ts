import { Prisma } from "../db/generated/client.ts";

/**
 * Rules that are written once and run twice: on the rows of an answer in TypeScript, and in the filter of a list in SQL.
 */

type Fact = string | boolean | null;

/** Facts that must be as given; a fact that is left out may be anything. */
type Condition<Facts> = { readonly [Name in keyof Facts]?: NonNullable<Facts[Name]> };

/** A rule of a list: its outcome applies where its condition holds, and that of no rule before it. */
export interface Rule<Facts, Outcome> {
  when: Condition<Facts>;
  outcome: Outcome;
}

/** Returns the outcome of the first rule whose condition holds. @throws Error where none does */
export function firstMatch<Facts extends object, Outcome>(
  rules: readonly Rule<Facts, Outcome>[],
  facts: Facts,
): Outcome {
  const known = new Map<string, Fact>(Object.entries(facts));
  const found = rules.find(({ when }) =>
    Object.entries(when).every(([name, expected]) => known.get(name) === expected),
  );
  if (!found) throw new Error(`no rule holds for ${JSON.stringify(facts)}`);
  return found.outcome;
}

/**
 * Returns the same decision as a CASE expression of type text.
 * @param columns each fact as an SQL expression
 */
export function caseSql<Facts extends object, Outcome>(
  rules: readonly Rule<Facts, Outcome>[],
  columns: Record<keyof Facts & string, Prisma.Sql>,
  wordOf: (outcome: Outcome) => string,
): Prisma.Sql {
  const expressions = new Map<string, Prisma.Sql>(Object.entries(columns));
  const branches = rules.map(({ when, outcome }) => {
    const conditions = Object.entries(when).map(([name, expected]) =>
      conditionSql(expressions.get(name) ?? Prisma.empty, expected),
    );
    const all = conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, " AND ");
    return Prisma.sql`WHEN ${all} THEN ${literal(wordOf(outcome))}`;
  });
  return Prisma.sql`CASE ${Prisma.join(branches, " ")} END`;
}

function conditionSql(expression: Prisma.Sql, expected: unknown): Prisma.Sql {
  if (typeof expected === "boolean") return expected ? expression : Prisma.sql`NOT ${expression}`;
  return Prisma.sql`${expression} = ${literal(String(expected))}`;
}

/** Writes a word of the code into the statement's text, not as a parameter: PostgreSQL plans it as a constant. */
function literal(word: string): Prisma.Sql {
  if (!/^[\w -]+$/.test(word)) throw new Error(`not a word of a rule: ${word}`);
  return Prisma.raw(`'${word}'`);
}
