import type { Endpoint } from "../../context/endpoint.ts";
import type { StreamEndpoint } from "../../context/stream.ts";
import type { Cost } from "../../protocol/costs.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import { tagsOf, templateOf } from "./fields.ts";

const HEAD = `# Endpoints

Written by \`npm run openapi\` from \`src/<feature>/index.ts\`. Paths are below \`${API_PREFIX}\`. A READ_ONLY key may GET; POST and
DELETE need a WRITABLE one. \`/calldata\` encodes a call for a wallet to submit, \`/send\` sends it for the bound user, \`/tx\` records a submitted
transaction. In parentheses is the cost in [units of the key's rate limit](rate-limits.md) where a GET costs more than 1, another request more than 2.
[openapi.json](openapi.json) has fields, headers and refusals.`;

/** Returns docs/endpoints.md: every endpoint at a glance, a list for each feature. */
export function printEndpoints(
  endpoints: readonly Endpoint[],
  streams: readonly StreamEndpoint[] = [],
): string {
  const sections = tagsOf(endpoints).map((tag) => {
    const rows = [...endpoints, ...streams].filter((endpoint) => endpoint.tag === tag).map(row);
    return `## ${tag.name}\n\n${rows.join("\n")}`;
  });
  return `${[HEAD, ...sections].join("\n\n")}\n`;
}

function row(endpoint: Endpoint | StreamEndpoint): string {
  const { method, cost, title } = endpoint;
  const isUsual = cost === (method === "GET" ? 1 : 2);
  return `- ${method} \`${templateOf(endpoint)}\`${isUsual ? "" : ` (${costOf(cost)})`}: ${title}`;
}

const costOf = (cost: Cost): string =>
  typeof cost === "number" ? `${cost}` : `1 + ⌈\`limit\`/${cost.rowsPerUnit}⌉`;
