import { writeFileSync } from "node:fs";
import { ROOT } from "../config/root.ts";
import { createDocument, printDocument } from "../http/openapi/document.ts";
import { printEndpoints } from "../http/openapi/table.ts";
import { toOpenApi30 } from "../http/openapi/three-zero.ts";
import { ENDPOINTS, STREAMS } from "./endpoints.ts";
import { buildApiSchema } from "./schema.ts";

/** `npm run openapi`: generates docs/openapi.json, its form in OpenAPI 3.0, and docs/endpoints.md. */
const schema = buildApiSchema();

const parts = { schema, endpoints: ENDPOINTS, streams: STREAMS };
const document = createDocument(parts);
writeFileSync(`${ROOT}docs/openapi.json`, printDocument(document));
writeFileSync(`${ROOT}docs/openapi-3.0.json`, printDocument(toOpenApi30(document)));
writeFileSync(`${ROOT}docs/endpoints.md`, printEndpoints(ENDPOINTS, STREAMS));
