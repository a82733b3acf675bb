import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { Kind, type OperationDefinitionNode, parse, specifiedRules, validate, visit } from "graphql";
import { buildApiSchema } from "../../../../src/api/schema.ts";
import { createCostOf } from "../../../../src/http/graphql/cost.ts";
import { createLimitRules, GRAPHQL_LIMITS } from "../../../../src/http/graphql/limits.ts";
import { createRoleCheck } from "../../../../src/http/graphql/roles.ts";
import {
  DELIVERY_STATUSES,
  ON_CHAIN_STATUSES,
  OPERATION_STATUSES,
  ORDER_STATUSES,
  SEND_OPERATIONS,
} from "../../../../src/protocol/enums.ts";
import { OPERATION_KINDS } from "../../../../src/protocol/operations.ts";
import { SEND_STATES } from "../../../../src/sending/outbox/rows.ts";
import { present } from "../../../../test/support/assert/until.ts";
import {
  generateDashboardDocuments,
  queriesOf,
  readDocuments,
} from "../../../../tools/dashboard-documents.ts";
import { FILTERS } from "../../src/dashboard/lists/filters.ts";

const FOR_OPERATORS = ["Audit", "Balances", "Delegations"];

/** The page's queries fit the real service: its schema, its limits, its enums. */
const DOCUMENTS = new URL("../../src/dashboard/service/documents.ts", import.meta.url);
const schema = buildApiSchema();
const costOf = createCostOf(schema);
const queries = queriesOf(readDocuments().map(({ document }) => document));
const lists = Object.entries(FILTERS);

it("are typed by what `npm run schema:types` writes now", async () => {
  const isCurrent = readFileSync(DOCUMENTS, "utf8") === (await generateDashboardDocuments());
  expect(isCurrent ? "current" : "run `npm run schema:types`").toBe("current");
});

function operationOf(query: string): OperationDefinitionNode {
  const [operation] = parse(query, { maxTokens: GRAPHQL_LIMITS.tokens }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("not an operation first");
  return operation;
}
const variablesOf = (query: string) =>
  (operationOf(query).variableDefinitions ?? []).map(({ variable }) => variable.name.value);

describe.each(queries)("the query $name", ({ text }) => {
  it("is valid for the schema and the limits", () => {
    expect(validate(schema, parse(text), [...specifiedRules, ...createLimitRules()])).toEqual([]);
  });

  it("costs less than half of what is allowed, with the longest page", () => {
    const cost = costOf(parse(text), operationOf(text), { first: 100, operator: true });
    expect(cost).toBeGreaterThan(100);
    expect(cost).toBeLessThan(GRAPHQL_LIMITS.cost / 2);
  });

  it("gives each of its variables to the argument of that name", () => {
    const given: string[] = [];
    visit(parse(text), {
      Argument: ({ name, value }) => {
        if (value.kind === Kind.VARIABLE && name.value !== "if")
          given.push(`${name.value}: ${value.name.value}`);
      },
    });
    expect([...new Set(given)].sort()).toEqual(
      variablesOf(text)
        .filter((name) => name !== "operator")
        .map((name) => `${name}: ${name}`)
        .sort(),
    );
  });
});

it.each(queries.filter(({ name }) => !FOR_OPERATORS.includes(name)))(
  "a viewer may ask $name, which leaves out what is for operators",
  async ({ text }) => {
    const document = parse(text);
    const check = async (operator: boolean) => {
      const { didResolveOperation } = (await createRoleCheck(schema).requestDidStart?.({} as never)) ?? {};
      await didResolveOperation?.({
        document,
        operation: operationOf(text),
        request: { variables: { operator } },
        contextValue: { user: { name: "screen", role: "viewer" }, log: { info: () => undefined } },
      } as never);
    };
    await check(false);
    if (text.includes("$operator")) await expect(check(true)).rejects.toThrow(/For operators alone/);
  },
);

it.each(lists)("the list of %s takes the filters that it offers, and no other", (list, filters) => {
  const name = list[0]?.toUpperCase() + list.slice(1);
  const query = present(
    queries.find((candidate) => candidate.name === name),
    name,
  );
  const paging = ["first", "after", "orderBy", "direction", "operator"];
  expect(
    variablesOf(query.text)
      .filter((variable) => !paging.includes(variable))
      .sort(),
  ).toEqual(filters.map((filter) => filter.name).sort());
});

it("offers the words that the service knows", () => {
  const words = lists.flatMap(([list, filters]) =>
    filters.flatMap((filter) =>
      "words" in filter && typeof filter.words === "object" ? [[`${list}.${filter.name}`, filter.words]] : [],
    ),
  );
  expect(Object.fromEntries(words)).toEqual({
    "sends.state": SEND_STATES,
    "sends.operation": SEND_OPERATIONS,
    "orders.status": ORDER_STATUSES,
    "orders.onChainStatus": ON_CHAIN_STATUSES,
    "orders.side": ["Buy", "Sell"],
    "orders.type": ["Market", "Limit"],
    "operations.kind": OPERATION_KINDS,
    "operations.status": OPERATION_STATUSES,
    "requests.outcome": ["refused", "written"],
    "webhooks.state": ["enabled", "failing", "disabled"],
    "deliveries.state": DELIVERY_STATUSES,
    "keys.status": ["active", "inactive", "expired", "revoked"],
  });
});
