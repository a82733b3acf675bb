/** An operation of the API as a tool. */
export interface McpTool {
  /** The operationId. */
  name: string;
  title: string;
  description: string;
  method: "GET" | "POST" | "DELETE";
  /** Without the prefix of the API: `/orders/{orderId}`. */
  path: string;
  /** Arguments that are query parameters. Others are in the path, or fields of the body. */
  query: readonly string[];
  /** True where it submits a transaction, once for each idempotencyKey. */
  isSend: boolean;
  inputSchema: {
    type: "object";
    properties: Readonly<Record<string, { type?: string | readonly string[] }>>;
    required: readonly string[];
    additionalProperties: false;
  };
}

/** Arguments of a call, as the client sent them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Returns true for an operation that changes nothing. */
export const isReading = ({ method }: McpTool): boolean => method === "GET";

/** Returns true for an operation that changes nothing, but for which a key must be allowed to write. */
export const isBuilding = ({ path }: McpTool): boolean => /\/(calldata|prepare)$/.test(path);
