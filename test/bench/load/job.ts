/** Input and output of the load generator; both cross a process boundary. */

/** One request, and what its answer must be. */
export interface Call {
  method: "GET" | "POST";
  /** Path and query. */
  path: string;
  /** Sent as JSON; only unsigned calls have one. */
  body?: string;
  /** Index of the key that signs it; unsigned without. */
  key?: number;
  status: number;
  /** Texts that the answer's body holds. */
  includes?: string[];
  /** Rows of a list, in order, by order id (null for an order that is not indexed), and their total. */
  rows?: { orderIds: (string | null)[]; total: number | null };
}

export interface SigningKey {
  apiKey: string;
  apiSecret: string;
  chainId: number;
  productType: string;
}

export interface Job {
  /** Scheme, host and port. */
  url: string;
  connections: number;
  seconds: number;
  /** Requests a second, on time whatever the server does; as many as the connections carry without. */
  perSecond?: number;
  calls: Call[];
  keys: SigningKey[];
  /** Requests that are signed before the first is sent; the run ends early when they are used up. */
  requests: number;
  /** Counts 503 (such as a statement that took longer than its limit) in place of ending the run. */
  allowUnavailable?: boolean;
}

export interface Outcome {
  /** Answers, all of them right. */
  answers: number;
  /** 503s, where they are allowed; none of them is among the answers. */
  unavailable: number;
  elapsedMs: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Share of one core that the generator itself used. */
  generatorCpu: number;
}
