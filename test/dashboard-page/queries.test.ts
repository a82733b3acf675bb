import { describe, expect, it } from "@jest/globals";
import { Kind, type OperationDefinitionNode, parse, specifiedRules, validate, visit } from "graphql";
import { buildApiSchema } from "../../src/api/schema.ts";
import { createCostOf } from "../../src/http/graphql/cost.ts";
import { createLimitRules, GRAPHQL_LIMITS } from "../../src/http/graphql/limits.ts";
import { OPERATION_KINDS } from "../../src/operations/kinds.ts";
import { OPERATION_STATUSES, ORDER_STATUSES } from "../../src/protocol/enums.ts";
import { SEND_STATES } from "../../src/sending/outbox/rows.ts";
import { readFilters, readQueries } from "./files.ts";

/** What the page asks is what the service answers: the real schema, the real limits, the real words. */
const schema = buildApiSchema();
const costOf = createCostOf(schema);
const queries = await readQueries();
const filters = readFilters();

function operationOf(query: string): OperationDefinitionNode {
  const [operation, ...others] = parse(query, { maxTokens: GRAPHQL_LIMITS.tokens }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0)
    throw new Error("not one operation");
  return operation;
}
const variablesOf = (query: string) =>
  (operationOf(query).variableDefinitions ?? []).map(({ variable }) => variable.name.value);

describe.each(Object.entries(queries))("the query of %s", (panel, query) => {
  it("is valid for the schema and the limits", () => {
    expect(validate(schema, parse(query), [...specifiedRules, ...createLimitRules()])).toEqual([]);
  });

  it("costs less than half of what is allowed, with the longest page", () => {
    const cost = costOf(parse(query), operationOf(query), { first: 100 });
    expect(cost).toBeGreaterThan(100);
    expect(cost).toBeLessThan(GRAPHQL_LIMITS.cost / 2);
  });

  it("gives each of its variables to the argument of that name", () => {
    const given: string[] = [];
    visit(parse(query), {
      Argument: ({ name, value }) => {
        given.push(`${name.value}: ${value.kind === Kind.VARIABLE ? value.name.value : "a constant"}`);
      },
    });
    expect(given.sort()).toEqual(
      variablesOf(query)
        .map((name) => `${name}: ${name}`)
        .sort(),
    );
  });

  it("takes the filters that the page offers, and no other", () => {
    const offered = filters.filter((filter) => filter.panel === panel).map(({ name }) => name);
    const paging = ["first", "after"];
    expect(
      variablesOf(query)
        .filter((name) => !paging.includes(name))
        .sort(),
    ).toEqual(offered.sort());
  });
});

it("offers the words that the service knows", () => {
  const words = Object.fromEntries(
    filters
      .filter((filter) => filter.words.length > 0)
      .map((filter) => [`${filter.panel}.${filter.name}`, filter.words]),
  );
  expect(words).toEqual({
    "sends.state": SEND_STATES,
    "orders.status": ORDER_STATUSES,
    "operations.kind": OPERATION_KINDS,
    "operations.status": OPERATION_STATUSES,
    "keys.status": ["active", "inactive", "expired", "revoked"],
  });
});
