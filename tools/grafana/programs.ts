import { type Dashboard, panel, stat } from "./panels.ts";
import { quantile, RATE, rate } from "./rates.ts";

// Dashboards of parts: what is delivered, prices, and the processes themselves.

export const WEBHOOKS: Dashboard = {
  name: "webhooks",
  title: "Webhooks and events",
  description: "From a change in the index to the log of events, to streams and to partners' servers.",
  byChain: true,
  items: [
    stat("Log behind the index", "s", 'max(event_log_behind_seconds{chain_id=~"$chain"})', {
      thresholds: [10, 60],
    }),
    stat("Deliverers", "none", 'sum(up{job="partner-trading-deliverer"})', { thresholds: [2, 1] }),
    stat("Late at receivers that work", "s", "max(webhook_delivery_lag_seconds)", { thresholds: [60, 300] }),
    stat("Oldest undelivered event", "s", "max(webhook_oldest_undelivered_seconds)"),
    stat("Pending deliveries", "short", "max(webhook_queue_depth)", { thresholds: [1000, 5000] }),
    stat("Failing", "none", "max(webhooks_failing)", { thresholds: [1, 5] }),
    stat("Disabled", "none", 'max(webhooks{status="disabled"})'),
    panel(
      "Events appended, by chain",
      "ops",
      [[`sum by (chain_id) (${rate('events_appended_total{chain_id=~"$chain"}')})`, "{{chain_id}}"]],
      { stacked: true },
    ),
    panel(
      "Log behind the index, by chain",
      "s",
      [['max by (chain_id) (event_log_behind_seconds{chain_id=~"$chain"})', "{{chain_id}}"]],
      { thresholds: [10, 60] },
    ),
    panel(
      "Fills, by product and side",
      "ops",
      [
        [
          `sum by (product_type, side) (${rate('order_fills_total{chain_id=~"$chain"}')})`,
          "{{product_type}} {{side}}",
        ],
      ],
      { stacked: true },
    ),
    panel(
      "Attempts, by result",
      "ops",
      [[`sum by (result) (${rate("webhook_attempts_total")})`, "{{result}}"]],
      { stacked: true },
    ),
    panel("Pending deliveries", "short", [["max(webhook_queue_depth)", "pending"]], {
      thresholds: [1000, 5000],
    }),
    panel("Age of what is not delivered", "s", [
      ["max(webhook_oldest_undelivered_seconds)", "of all webhooks"],
      ["max(webhook_delivery_lag_seconds)", "of those whose receiver works"],
    ]),
    panel("Streams that are open", "short", [["sum(event_streams_open)", "streams"]]),
    panel("Streams that ended, by cause", "ops", [
      [`sum by (cause) (${rate("event_streams_ended_total")})`, "{{cause}}"],
    ]),
    panel("Webhooks, by status", "short", [["max by (status) (webhooks)", "{{status}}"]]),
  ],
};

export const MARKET: Dashboard = {
  name: "market-data",
  title: "Market data",
  description: "Calls to the provider of quotes, bars and corporate actions.",
  items: [
    stat("Quotes", "bool_on_off", "max(market_data_up)", { thresholds: [1, 0.5] }),
    panel(
      "Calls a second, by what was asked for",
      "ops",
      [[`sum by (provider, call) (${rate("market_data_calls_total")})`, "{{provider}} {{call}}"]],
      { width: 12 },
    ),
    panel(
      "Share that was unavailable",
      "percentunit",
      [
        [
          `sum by (call) (${rate('market_data_calls_total{outcome="unavailable"}')}) / sum by (call) (${rate("market_data_calls_total")})`,
          "{{call}}",
        ],
      ],
      { width: 8, thresholds: [0.01, 0.1] },
    ),
    panel(
      "p50 and p99 of a call",
      "s",
      [
        [quantile(0.5, "market_data_call_duration_seconds_bucket", "call"), "p50 {{call}}"],
        [quantile(0.99, "market_data_call_duration_seconds_bucket", "call"), "p99 {{call}}"],
      ],
      { width: 12, thresholds: [1, 3] },
    ),
    panel(
      "Up, by replica",
      "bool_on_off",
      [["min by (instance, provider) (market_data_up)", "{{instance}} {{provider}}"]],
      { width: 12, max: 1 },
    ),
    panel("Streams of prices that are open", "short", [["sum(price_streams_open)", "streams"]], {
      width: 12,
    }),
    panel(
      "Streams of prices that ended, by cause",
      "ops",
      [[`sum by (cause) (${rate("price_streams_ended_total")})`, "{{cause}}"]],
      { width: 12 },
    ),
  ],
};

const OURS = 'job=~"partner-trading-.+"';

export const PROCESS: Dashboard = {
  name: "process",
  title: "Processes",
  description: "Processor, memory, event loop and connections of every program.",
  items: [
    panel(
      "Processor seconds a second",
      "short",
      [[`rate(process_cpu_seconds_total{${OURS}}${RATE})`, "{{job}} {{instance}} {{chain}}"]],
      { thresholds: [0.8, 1] },
    ),
    panel(
      "Resident memory",
      "bytes",
      [[`process_resident_memory_bytes{${OURS}}`, "{{job}} {{instance}} {{chain}}"]],
      {
        thresholds: [1e9, 1.5e9],
      },
    ),
    panel("Heap in use", "bytes", [
      [`nodejs_heap_size_used_bytes{${OURS}}`, "{{job}} {{instance}} {{chain}}"],
    ]),
    panel(
      "Event loop delay, p99",
      "s",
      [[`nodejs_eventloop_lag_p99_seconds{${OURS}}`, "{{job}} {{instance}} {{chain}}"]],
      {
        thresholds: [0.2, 0.3],
        description: "The sampler's own interval of 0.1 s is in it.",
      },
    ),
    panel(
      "Time in garbage collection",
      "percentunit",
      [
        [
          `sum by (job, instance) (rate(nodejs_gc_duration_seconds_sum{${OURS}}${RATE}))`,
          "{{job}} {{instance}}",
        ],
      ],
      { thresholds: [0.05, 0.1] },
    ),
    panel(
      "File descriptors in use",
      "percentunit",
      [[`process_open_fds{${OURS}} / process_max_fds{${OURS}}`, "{{job}} {{instance}} {{chain}}"]],
      { thresholds: [0.6, 0.8], max: 1 },
    ),
    panel(
      "Started",
      "dateTimeAsIso",
      [[`process_start_time_seconds{${OURS}} * 1000`, "{{job}} {{instance}} {{chain}}"]],
      { type: "stat", width: 12 },
    ),
    panel(
      "Versions",
      "none",
      [["count by (job, instance, version, commit) (build_info)", "{{job}} {{version}} {{commit}}"]],
      { type: "table", width: 12 },
    ),
  ],
};
