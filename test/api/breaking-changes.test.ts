import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { buildSchema, DangerousChangeType, findBreakingChanges, findDangerousChanges } from "graphql";
import { buildApiSchema } from "../../src/api/schema.ts";
import { EXTENSIBLE } from "../../src/http/openapi/types.ts";
import { ALLOWED } from "../../tools/breaking-changes/allowed.ts";
import { breakingChanges } from "../../tools/breaking-changes/documents.ts";

/**
 * Released endpoints do not change (docs/versioning.md): clients of the released documents work with the current ones, too.
 * A failure here asks for another change, not for another snapshot: `npm run release:snapshot` is for releases.
 */
const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const released = buildSchema(read("schema.released.graphql"));
const current = buildApiSchema();
const describe = ({ type, description }: { type: string; description: string }) => `${type}: ${description}`;

const faults = breakingChanges(JSON.parse(read("openapi.released.json")), JSON.parse(read("openapi.json")));

it("docs/openapi.json breaks no client of docs/openapi.released.json, but by what is decided", () => {
  expect(faults.filter((fault) => !ALLOWED.some((allowed) => fault.endsWith(allowed.fault)))).toEqual([]);
});

it("each change that is allowed is there", () => {
  expect(ALLOWED.filter((allowed) => !faults.some((fault) => fault.endsWith(allowed.fault)))).toEqual([]);
});

it("the GraphQL schema breaks no client of docs/schema.released.graphql", () => {
  expect(findBreakingChanges(released, current).map(describe)).toEqual([]);
});

it("the GraphQL schema changes nothing that clients may trip over but what docs/versioning.md announces", () => {
  const isAnnounced = ({ type, description }: { type: string; description: string }) =>
    type === DangerousChangeType.OPTIONAL_ARG_ADDED ||
    type === DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED ||
    (type === DangerousChangeType.VALUE_ADDED_TO_ENUM &&
      [...EXTENSIBLE].some((name) => description.includes(`enum type ${name}.`)));
  const found = findDangerousChanges(released, current).filter((change) => !isAnnounced(change));
  expect(found.map(describe)).toEqual([]);
});
