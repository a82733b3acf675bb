import type { GraphQLSchema } from "graphql";
import type { Endpoint } from "../../context/endpoint.ts";
import type { StreamEndpoint } from "../../context/stream.ts";
import type { Cost } from "../../protocol/costs.ts";
import type { ErrCode } from "../../protocol/errors.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import { firstSentence, rootField, tagsOf, templateOf } from "./fields.ts";

const HEAD = `# Endpoints

Written by \`npm run openapi\` from \`src/<feature>/index.ts\`. Paths are below \`${API_PREFIX}\`. A READ_ONLY key may GET; POST and
DELETE need a WRITABLE one. In parentheses is the cost in [units of the key's rate limit](rate-limits.md), in capitals what an endpoint refuses
with, beside VALIDATION_FAILED and HTTP 404, 413, 429, 500 and 503. [openapi.json](openapi.json) has every field, header and error.`;

/** Refusals of all endpoints whose path ends so, which the page names once. */
interface Shared {
  ending: string;
  refusals: readonly ErrCode[];
}

/** Returns docs/endpoints.md: every endpoint at a glance, a list for each feature. */
export function printEndpoints(
  schema: GraphQLSchema,
  endpoints: readonly Endpoint[],
  streams: readonly StreamEndpoint[] = [],
): string {
  const shared = ["/send", "/tx"].map((ending) => sharedBy(ending, endpoints));
  const sections = tagsOf(endpoints).map((tag) => {
    const rows = endpoints
      .filter((endpoint) => endpoint.tag === tag)
      .map((endpoint) => row(endpoint, firstSentence(rootField(schema, endpoint)), shared));
    rows.push(
      ...streams.filter((stream) => stream.tag === tag).map((stream) => row(stream, stream.summary, shared)),
    );
    return `## ${tag.name}\n\n${rows.join("\n")}`;
  });
  const also = shared.map(
    ({ ending, refusals }) => `Every \`${ending}\` also refuses with ${refusals.join(", ")}.`,
  );
  return `${[HEAD, also.join("\n"), ...sections].join("\n\n")}\n`;
}

function sharedBy(ending: string, endpoints: readonly Endpoint[]): Shared {
  const [first = [], ...others] = endpoints
    .filter(({ path }) => path.endsWith(ending))
    .map(({ refusals }) => refusals);
  return { ending, refusals: first.filter((errCode) => others.every((other) => other.includes(errCode))) };
}

function row(endpoint: Endpoint | StreamEndpoint, summary: string, shared: readonly Shared[]): string {
  const { method, path, cost } = endpoint;
  const known = shared.filter(({ ending }) => path.endsWith(ending)).flatMap(({ refusals }) => refusals);
  const refusals = endpoint.refusals.filter((errCode) => !known.includes(errCode));
  const refused = refusals.length > 0 ? `. ${refusals.join(", ")}` : "";
  return `- ${method} \`${templateOf(endpoint)}\` (${costOf(cost)}): ${summary}${refused}`;
}

const costOf = (cost: Cost): string =>
  typeof cost === "number" ? `${cost}` : `1 + ⌈\`limit\`/${cost.rowsPerUnit}⌉`;
