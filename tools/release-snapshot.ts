import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildApiSchema } from "../src/api/schema.ts";
import { printReleased, printReleasedSchema } from "./breaking-changes/snapshot.ts";
import { migrationNames, RELEASED_FILE, type Released } from "./migrations/released.ts";

/**
 * `npm run release:snapshot`: writes docs/openapi.released.json, docs/schema.released.graphql, prisma/released.json and
 * prisma/grants.released.sql. Run it when a version is released, and never to make a test pass (docs/versioning.md).
 */
const fileOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const document = JSON.parse(readFileSync(fileOf("docs/openapi.json"), "utf8"));
writeFileSync(fileOf("docs/openapi.released.json"), printReleased(document));
writeFileSync(fileOf("docs/schema.released.graphql"), printReleasedSchema(buildApiSchema()));

const { version } = JSON.parse(readFileSync(fileOf("package.json"), "utf8"));
const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: fileOf("."), encoding: "utf8" }).trim();
const released: Released = { version, commit, migration: migrationNames().at(-1) ?? "" };
writeFileSync(RELEASED_FILE, `${JSON.stringify(released, null, 2)}\n`);
copyFileSync(fileOf("prisma/grants.sql"), fileOf("prisma/grants.released.sql"));
