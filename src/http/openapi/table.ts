import type { GraphQLSchema } from "graphql";
import type { Endpoint } from "../../context/endpoint.ts";
import type { StreamEndpoint } from "../../context/stream.ts";
import type { Cost } from "../../protocol/costs.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import { firstSentence, rootField, tagsOf, templateOf } from "./fields.ts";

const HEAD = `# Endpoints

Written by \`npm run openapi\` from \`src/<feature>/index.ts\`. Paths are below \`${API_PREFIX}\`. A READ_ONLY key may GET; POST and
DELETE need a WRITABLE one. In parentheses is the cost in [units of the key's rate limit](rate-limits.md).
[openapi.json](openapi.json) has every field, header and refusal.`;

/** Returns docs/endpoints.md: every endpoint at a glance, a list for each feature. */
export function printEndpoints(
  schema: GraphQLSchema,
  endpoints: readonly Endpoint[],
  streams: readonly StreamEndpoint[] = [],
): string {
  const sections = tagsOf(endpoints).map((tag) => {
    const rows = endpoints
      .filter((endpoint) => endpoint.tag === tag)
      .map((endpoint) => row(endpoint, firstSentence(rootField(schema, endpoint))));
    rows.push(...streams.filter((stream) => stream.tag === tag).map((stream) => row(stream, stream.summary)));
    return `## ${tag.name}\n\n${rows.join("\n")}`;
  });
  return `${[HEAD, ...sections].join("\n\n")}\n`;
}

function row(endpoint: Endpoint | StreamEndpoint, summary: string): string {
  const { method, cost } = endpoint;
  return `- ${method} \`${templateOf(endpoint)}\` (${costOf(cost)}): ${summary.replaceAll("\n", " ")}`;
}

const costOf = (cost: Cost): string =>
  typeof cost === "number" ? `${cost}` : `1 + ⌈\`limit\`/${cost.rowsPerUnit}⌉`;
