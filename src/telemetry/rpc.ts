/** The result of a call: `error` is the node's own answer, also that a simulated call reverts; `unreachable`, that none came. */
export type RpcResult = "ok" | "error" | "unreachable";

/**
 * Begins one request to a node, of one call or a batch of several.
 * @returns what ends it, with the result of each call
 */
export type BeginRpc = (url: string, methods: readonly string[]) => (results: readonly RpcResult[]) => void;

/** Observes nothing, for programs without metrics. */
export const UNOBSERVED: BeginRpc = () => () => undefined;
