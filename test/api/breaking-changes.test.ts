import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import {
  buildSchema,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  isNonNullType,
  isObjectType,
} from "graphql";
import { buildApiSchema } from "../../src/api/schema.ts";
import { ROOT } from "../../src/config/root.ts";
import { EXTENSIBLE } from "../../src/http/openapi/types.ts";
import { EVENT_TYPES } from "../../src/protocol/enums.ts";
import { additions } from "../../tools/breaking-changes/additions.ts";
import { ALLOWED } from "../../tools/breaking-changes/allowed.ts";
import { breakingChanges } from "../../tools/breaking-changes/documents.ts";

/**
 * Released endpoints do not change (docs/versioning.md): clients of the released documents work with the current ones, too.
 * A failure here asks for another change: only a release writes the released documents.
 */
const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const released = buildSchema(read("schema.released.graphql"));
const current = buildApiSchema();
const inWords = ({ type, description }: { type: string; description: string }) => `${type}: ${description}`;

const documents = [JSON.parse(read("openapi.released.json")), JSON.parse(read("openapi.json"))] as const;
const faults = breakingChanges(...documents);

it("docs/openapi.json breaks no client of docs/openapi.released.json, but by what is decided", () => {
  expect(faults.filter((fault) => !ALLOWED.some((allowed) => fault.endsWith(allowed.fault)))).toEqual([]);
});

it("each change that is allowed is there", () => {
  expect(ALLOWED.filter((allowed) => !faults.some((fault) => fault.endsWith(allowed.fault)))).toEqual([]);
});

it("CHANGELOG.md names what docs/openapi.json adds", () => {
  const [, unreleased = ""] = /^## \[Unreleased\]\n(.*?)^## \[/ms.exec(read("../CHANGELOG.md")) ?? [];
  const isNamed = (name: string) =>
    new RegExp(`(?<![\\w.])${name.replaceAll(/[.{}]/g, "\\$&")}(?!\\w)`).test(unreleased);
  expect(additions(...documents).filter((name) => !isNamed(name))).toEqual([]);
});

it("the GraphQL schema breaks no client of docs/schema.released.graphql", () => {
  expect(findBreakingChanges(released, current).map(inWords)).toEqual([]);
});

it("the GraphQL schema changes nothing that clients may trip over but what docs/versioning.md announces", () => {
  const isAnnounced = ({ type, description }: { type: string; description: string }) =>
    type === DangerousChangeType.OPTIONAL_ARG_ADDED ||
    type === DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED ||
    (type === DangerousChangeType.VALUE_ADDED_TO_ENUM &&
      [...EXTENSIBLE].some((name) => description.includes(`enum type ${name}.`)));
  const found = findDangerousChanges(released, current).filter((change) => !isAnnounced(change));
  expect(found.map(inWords)).toEqual([]);
});

describe("a new field of what rows keep (docs/projection.md#rows)", () => {
  const kept = ["Order", "OpenOrder", "HistoryOrder", "Fill", "OperationDetail", "Operation", "Mapping"];
  const added = kept.flatMap((name) => {
    const [type, before] = [current.getType(name), released.getType(name)];
    if (!isObjectType(type) || !isObjectType(before)) throw new Error(`${name} is no type`);
    return Object.values(type.getFields()).filter((field) => !(field.name in before.getFields()));
  });

  it("is nullable: rows from before lack it", () => {
    expect(added.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([]);
  });

  it("is named by docs/operations/upgrade.md: each row is an event again once all are compared", () => {
    const [, brings = ""] = read("operations/upgrade.md").split("## What this version brings");
    expect(brings).not.toBe("");
    expect(added.filter(({ name }) => !brings.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([]);
  });
});

it("no source writes a type of event that the version before cannot read (CONTRIBUTING.md#migrations)", () => {
  const known = documents[0].components.schemas.EventType.enum;
  const sources = readdirSync(`${ROOT}src/events/writer`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(`${ROOT}src/events/writer/${path}`, "utf8"));
  const unknown = EVENT_TYPES.filter((type) => !known.includes(type));
  expect(unknown.filter((type) => sources.some((source) => source.includes(`"${type}"`)))).toEqual([]);
});
