import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { brunoFiles } from "./collections/bruno.ts";
import { readOperations } from "./collections/operations.ts";
import { postmanFiles } from "./collections/postman.ts";

/** `npm run collections`: writes examples/postman and examples/bruno from docs/openapi.json. */
const FOLDER = fileURLToPath(new URL("../examples/", import.meta.url));

/** Returns every file of both collections, by its path below examples/. */
export function collectionFiles(): Map<string, string> {
  const { document, operations } = readOperations();
  const within = (folder: string, files: Map<string, string>) =>
    [...files].map(([path, text]) => [`${folder}/${path}`, text] as const);
  return new Map([
    ...within("postman", postmanFiles(document, operations)),
    ...within("bruno", brunoFiles(document, operations)),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of ["postman", "bruno"]) rmSync(FOLDER + folder, { recursive: true, force: true });
  for (const [path, text] of collectionFiles()) {
    mkdirSync(dirname(FOLDER + path), { recursive: true });
    writeFileSync(FOLDER + path, text);
  }
}
