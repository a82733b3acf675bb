import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ROUTES } from "../../protocol/routes.ts";
import { buildApiSchema, INPUTS } from "../schema.ts";
import { createDocument, printDocument } from "./document.ts";

/** `npm run openapi`: writes docs/openapi.json anew. */
const FILE = fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url));

writeFileSync(
  FILE,
  printDocument(createDocument({ schema: buildApiSchema(), routes: ROUTES, inputs: INPUTS })),
);
