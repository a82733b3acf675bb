import { writeFileSync } from "node:fs";
import { ROOT } from "../config/root.ts";
import { createDocument, printDocument } from "../http/openapi/document.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { buildApiSchema } from "./schema.ts";

/** `npm run openapi`: writes docs/openapi.json anew. */
const FILE = `${ROOT}docs/openapi.json`;

writeFileSync(FILE, printDocument(createDocument({ schema: buildApiSchema(), endpoints: ENDPOINTS })));
