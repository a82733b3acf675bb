import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
import { generateSchemaTypes } from "../../tools/schema-types.ts";

const FILE = fileURLToPath(new URL("../../src/context/schema-types.ts", import.meta.url));

it("are what `npm run schema:types` writes now", async () => {
  const written = await generateSchemaTypes();
  expect(readFileSync(FILE, "utf8") === written ? "current" : "run `npm run schema:types`").toBe("current");
});
