import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { ROOT } from "../config/root.ts";
import { errorFiles } from "../docs-page/errors/files.ts";
import { createDocument, printDocument } from "../http/openapi/document.ts";
import { printEndpoints } from "../http/openapi/table.ts";
import { ENDPOINTS, STREAMS } from "./endpoints.ts";
import { buildApiSchema } from "./schema.ts";

/** `npm run openapi`: writes docs/openapi.json, docs/endpoints.md and docs/errors anew. */
const schema = buildApiSchema();

const parts = { schema, endpoints: ENDPOINTS, streams: STREAMS };
writeFileSync(`${ROOT}docs/openapi.json`, printDocument(createDocument(parts)));
writeFileSync(`${ROOT}docs/endpoints.md`, printEndpoints(schema, ENDPOINTS, STREAMS));

const ERRORS = `${ROOT}docs/errors/`;
const files = errorFiles();
mkdirSync(ERRORS, { recursive: true });
for (const name of readdirSync(ERRORS)) if (!files.has(name)) rmSync(`${ERRORS}${name}`);
for (const [name, text] of files) writeFileSync(`${ERRORS}${name}`, text);
