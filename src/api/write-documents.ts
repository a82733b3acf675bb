import { writeFileSync } from "node:fs";
import { ROOT } from "../config/root.ts";
import { createDocument, printDocument } from "../http/openapi/document.ts";
import { printEndpoints } from "../http/openapi/table.ts";
import { ENDPOINTS, STREAMS } from "./endpoints.ts";
import { buildApiSchema } from "./schema.ts";

/** `npm run openapi`: generates docs/openapi.json and docs/endpoints.md. */
const schema = buildApiSchema();

const parts = { schema, endpoints: ENDPOINTS, streams: STREAMS };
writeFileSync(`${ROOT}docs/openapi.json`, printDocument(createDocument(parts)));
writeFileSync(`${ROOT}docs/endpoints.md`, printEndpoints(schema, ENDPOINTS, STREAMS));
