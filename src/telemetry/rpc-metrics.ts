import { Counter, Histogram, type Metric } from "prom-client";
import type { BeginRpc } from "./rpc.ts";
import { startSpan } from "./tracing.ts";

export interface RpcTelemetry {
  /** For the registry of the program that serves /metrics. */
  metrics: readonly Metric[];
  /** Returns what observes the requests to nodes of a chain. */
  of(chainId: number): BeginRpc;
}

/** Methods that appear as a label: a fixed set, whatever the code comes to call. */
const METHODS: ReadonlySet<string> = new Set([
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_estimateGas",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getCode",
  "eth_getLogs",
  "eth_getRawTransactionByHash",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
]);

/** Counts and times the calls of this process to nodes, and makes a span of each request where a trace is active. */
export function createRpcTelemetry(): RpcTelemetry {
  const requests = new Counter({
    name: "rpc_requests_total",
    help: "JSON-RPC calls to nodes, those of a batch one by one, by result: ok, error (the node's answer), unreachable",
    labelNames: ["chain_id", "node", "method", "result"],
    registers: [],
  });
  const seconds = new Histogram({
    name: "rpc_request_duration_seconds",
    help: "Time until a node answered a JSON-RPC call, or was given up; that of a batch counts for each call",
    labelNames: ["chain_id", "node", "method"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [],
  });
  return {
    metrics: [requests, seconds],
    of: (chainId) => (url, methods) => {
      const startedAt = performance.now();
      const span = startSpan(methods.length === 1 ? `${methods[0]}` : "JSON-RPC batch", {
        kind: "client",
        attributes: {
          "rpc.system": "jsonrpc",
          "rpc.method": [...new Set(methods)].join(","),
          "server.address": nodeOf(url),
          chain_id: chainId,
        },
      });
      return (results) => {
        span?.end(results.find((result) => result !== "ok"));
        const took = (performance.now() - startedAt) / 1000;
        for (const [index, name] of methods.entries()) {
          const method = METHODS.has(name) ? name : "other";
          const labels = { chain_id: String(chainId), node: nodeOf(url), method };
          requests.inc({ ...labels, result: results[index] ?? "unreachable" });
          seconds.observe(labels, took);
        }
      };
    },
  };
}

const nodes = new Map<string, string>();

/** Returns host and port of a node: the rest of a URL, and what stands before the host, may be a provider's credentials. */
export function nodeOf(url: string): string {
  const known = nodes.get(url) ?? new URL(url).host;
  nodes.set(url, known);
  return known;
}
