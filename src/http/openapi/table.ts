import type { GraphQLSchema } from "graphql";
import type { Endpoint } from "../../context/endpoint.ts";
import type { StreamEndpoint } from "../../context/stream.ts";
import { type Cost, costMax } from "../../protocol/costs.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import { rootField, splitDescription, tagsOf, templateOf } from "./fields.ts";

const HEAD = `# Endpoints

Written by \`npm run openapi\` from the endpoints that the features describe (\`src/<feature>/index.ts\`); not to be edited.
Paths are below \`${API_PREFIX}\`. A READ_ONLY key may GET; POST and DELETE need a WRITABLE one. Costs are units of the key's
rate limit. The last column leaves out what every endpoint may answer: VALIDATION_FAILED, and what is no refusal (HTTP 404,
413, 429, 500 and 503). [openapi.json](openapi.json) has every field, header and error.`;

/** Returns docs/endpoints.md: every endpoint at a glance, a table for each feature. */
export function printEndpoints(
  schema: GraphQLSchema,
  endpoints: readonly Endpoint[],
  streams: readonly StreamEndpoint[] = [],
): string {
  const sections = tagsOf(endpoints).map((tag) => {
    const rows = endpoints
      .filter((endpoint) => endpoint.tag === tag)
      .map((endpoint) => row(schema, endpoint));
    rows.push(...streams.filter((stream) => stream.tag === tag).map(streamRow));
    return `## ${tag.name}\n\n${tag.description}\n\n${[...TABLE_HEAD, ...rows].join("\n")}`;
  });
  return `${[HEAD, ...sections].join("\n\n")}\n`;
}

const TABLE_HEAD = ["| Endpoint | GraphQL field | Cost | | Refuses with |", "|---|---|---|---|---|"];

function row(schema: GraphQLSchema, endpoint: Endpoint): string {
  const { summary } = splitDescription(rootField(schema, endpoint));
  return cells(endpoint, `\`${endpoint.field}\``, summary);
}

/** Returns the row of a stream, which no field of the schema answers. */
const streamRow = (stream: StreamEndpoint): string => cells(stream, "", stream.summary);

function cells(endpoint: Endpoint | StreamEndpoint, field: string, summary: string): string {
  const { method, cost, refusals } = endpoint;
  const cells = [`${method} \`${templateOf(endpoint)}\``, field, costOf(cost), summary, refusals.join(", ")];
  return `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
}

const costOf = (cost: Cost): string =>
  typeof cost === "number"
    ? `${cost}`
    : `1, and 1 per ${cost.rowsPerUnit} of \`limit\`; at most ${costMax(cost)}`;
