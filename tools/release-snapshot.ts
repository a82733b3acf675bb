import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildApiSchema } from "../src/api/schema.ts";
import { printReleased, printReleasedSchema } from "./breaking-changes/snapshot.ts";

/**
 * `npm run release:snapshot`: writes docs/openapi.released.json and docs/schema.released.graphql anew. It is run when a version is
 * released, and never to make a test pass (docs/versioning.md).
 */
const fileOf = (name: string) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));

const document = JSON.parse(readFileSync(fileOf("openapi.json"), "utf8"));
writeFileSync(fileOf("openapi.released.json"), printReleased(document));
writeFileSync(fileOf("schema.released.graphql"), printReleasedSchema(buildApiSchema()));
