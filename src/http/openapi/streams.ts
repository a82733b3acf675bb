import type { GraphQLSchema } from "graphql";
import type { StreamEndpoint } from "../../context/stream.ts";
import type { JsonSchema } from "../graphql/scalars.ts";
import { limited, refusals, SHARED_BY_STATUS } from "./failures.ts";
import { rootField } from "./fields.ts";
import { HEADERS } from "./headers.ts";
import { type Inputs, readInputs } from "./inputs.ts";

/** Returns what a stream takes. Its parameters mean what they mean to the field whose rows it streams. */
export function readStreamInputs(schema: GraphQLSchema, endpoint: StreamEndpoint): Inputs {
  const field = rootField(schema, endpoint);
  const args = field.args.filter(({ name }) => name in endpoint.input.shape);
  const { list, ...rest } = readInputs({ name: endpoint.operationId, args }, endpoint.input);
  const described = list.map((input) => ({
    ...input,
    description: endpoint.meanings[input.name] ?? input.description,
  }));
  return { ...rest, list: described };
}

/** Returns the responses of a stream. A 200 is no envelope: it goes on. @param row an example of what is streamed */
export const streamResponses = (
  { refusals: own, example }: Pick<StreamEndpoint, "refusals" | "example">,
  row: unknown,
): JsonSchema => ({
  ...SHARED_BY_STATUS,
  200: {
    description: "The stream. It goes on until either side ends it.",
    headers: { ...HEADERS.always, ...HEADERS.authenticated, ...HEADERS.streamed },
    content: { "text/event-stream": { schema: { type: "string" }, example: example(row) } },
  },
  400: refusals(own),
  429: limited(own),
});
