import { type Dashboard, panel, stat } from "./panels.ts";
import { MARKET, PROCESS, WEBHOOKS } from "./programs.ts";
import { quantile, rate } from "./rates.ts";
import { CHAINS, SENDING } from "./sending.ts";

// Every dashboard; this file has those of partners' requests.

/** Requests of partners: those of the operator's port have no envelope. */
const REQUESTS = "http_request_duration_seconds_count";
const OF_PARTNERS = 'code!="none",route!="none"';
const LEFT = "1 - slo:error_ratio:30d / on (slo) group_left slo:budget:ratio";

const overview: Dashboard = {
  name: "overview",
  title: "Overview",
  description:
    "Whether partners are served, and how much of each error budget is left (docs/operations/slo.md).",
  items: [
    stat("Pages firing", "none", 'count(ALERTS{alertstate="firing",severity="page"}) or vector(0)', {
      thresholds: [1, 1],
    }),
    stat("Tickets firing", "none", 'count(ALERTS{alertstate="firing",severity="ticket"}) or vector(0)', {
      thresholds: [1, 10],
    }),
    stat("Apis", "none", 'sum(up{job="partner-trading-api"})', { thresholds: [2, 1] }),
    stat("Workers", "none", 'sum(up{job="partner-trading-worker"})', { thresholds: [2, 1] }),
    stat("Oldest request to send", "s", "max(send_queue_oldest_seconds)", { thresholds: [30, 120] }),
    stat("Oldest indexed block", "s", "max(indexer_block_age_seconds)", { thresholds: [60, 120] }),
    { heading: "Service level objectives" },
    panel("Budget left of 30 days", "percentunit", [[LEFT, "{{slo}} {{chain_id}}"]], {
      type: "bargauge",
      width: 12,
      thresholds: [0.5, 0.1],
      max: 1,
      decimals: 0,
      description: "Below zero the objective is missed.",
    }),
    panel(
      "Pace at which budgets are spent (1 hour)",
      "short",
      [["slo:error_ratio:1h / on (slo) group_left slo:budget:ratio", "{{slo}} {{chain_id}}"]],
      {
        width: 12,
        thresholds: [1, 14.4],
        description: "1 spends the budget in 30 days; 14.4 for an hour pages.",
      },
    ),
    { heading: "From outside" },
    panel(
      "Probes that are not answered right",
      "reqps",
      [
        [
          `sum by (chain_id, check, result) (${rate('probe_duration_seconds_count{result!="ok"}')})`,
          "{{chain_id}} {{check}} {{result}}",
        ],
      ],
      { stacked: true, thresholds: [0.01, 0.1] },
    ),
    panel(
      "Duration of probes",
      "s",
      [[quantile(0.99, "probe_duration_seconds_bucket", "chain_id"), "p99 {{chain_id}}"]],
      { thresholds: [0.5, 1] },
    ),
    panel(
      "Age of the block that answers name",
      "s",
      [["max by (chain_id) (probe_block_age_seconds)", "{{chain_id}}"]],
      { thresholds: [30, 60] },
    ),
    { heading: "Partners" },
    panel(
      "Requests a second, by status",
      "reqps",
      [[`sum by (status) (${rate(`${REQUESTS}{${OF_PARTNERS}}`)})`, "{{status}}"]],
      { stacked: true },
    ),
    panel(
      "Share of answers 5xx",
      "percentunit",
      [
        [
          `sum(${rate(`${REQUESTS}{${OF_PARTNERS},status=~"5.."}`)}) / sum(${rate(`${REQUESTS}{${OF_PARTNERS}}`)})`,
          "5xx",
        ],
      ],
      { thresholds: [0.001, 0.0144] },
    ),
    panel(
      "Duration of GETs",
      "s",
      [
        [quantile(0.5, 'http_request_duration_seconds_bucket{method="GET",code!="none"}'), "p50"],
        [quantile(0.99, 'http_request_duration_seconds_bucket{method="GET",code!="none"}'), "p99"],
      ],
      { thresholds: [0.1, 0.25] },
    ),
    panel(
      "Fills an hour, by product and side",
      "short",
      [["sum by (product_type, side) (increase(order_fills_total[1h]))", "{{product_type}} {{side}}"]],
      { stacked: true },
    ),
    panel(
      "Requests to send that are not final",
      "short",
      [["sum by (state) (max by (chain_id, wallet, state) (send_queue_depth))", "{{state}}"]],
      { stacked: true },
    ),
    panel(
      "Alerts firing",
      "none",
      [['count by (alertname, severity) (ALERTS{alertstate="firing",severity!="none"})', "{{alertname}}"]],
      { type: "table" },
    ),
  ],
};

const api: Dashboard = {
  name: "api",
  title: "API",
  description: "Requests of partners: how many, how fast, what is refused and why.",
  items: [
    panel(
      "Requests a second, by route",
      "reqps",
      [[`topk(10, sum by (route) (${rate(`${REQUESTS}{${OF_PARTNERS}}`)}))`, "{{route}}"]],
      { stacked: true, width: 12 },
    ),
    panel(
      "p99 by route",
      "s",
      [
        [
          `topk(10, ${quantile(0.99, 'http_request_duration_seconds_bucket{code!="none"}', "route")})`,
          "{{route}}",
        ],
      ],
      { width: 12 },
    ),
    panel(
      "5xx a second, by route and code",
      "reqps",
      [[`sum by (route, code) (${rate(`${REQUESTS}{${OF_PARTNERS},status=~"5.."}`)})`, "{{route}} {{code}}"]],
      { stacked: true },
    ),
    panel(
      "4xx a second, by code",
      "reqps",
      [[`sum by (code) (${rate(`${REQUESTS}{code!="none",status=~"4.."}`)})`, "{{code}}"]],
      { stacked: true },
    ),
    panel(
      "Callers who left before the answer",
      "reqps",
      [[`sum by (route) (${rate(`${REQUESTS}{status="0"}`)})`, "{{route}}"]],
      { stacked: true },
    ),
    { heading: "Refused" },
    panel(
      "Authentication failures, by cause",
      "reqps",
      [[`sum by (cause) (${rate("authentication_failures_total")})`, "{{cause}}"]],
      { stacked: true, thresholds: [1, 10] },
    ),
    panel(
      "Over a limit",
      "reqps",
      [[`sum by (limit) (${rate("rate_limited_requests_total")})`, "{{limit}}"]],
      { stacked: true },
    ),
    panel("Connections closed, by cause", "ops", [
      [`sum by (cause) (${rate("http_connections_closed_total")})`, "{{cause}}"],
    ]),
    { heading: "Parts" },
    panel(
      "Checks of /readyz",
      "bool_on_off",
      [["min by (job, check) (readiness_check_up)", "{{job}} {{check}}"]],
      { max: 1 },
    ),
    panel("Connections to the database that are in use", "short", [
      [
        'sum by (job, instance) (database_pool_connections{state="total"}) - sum by (job, instance) (database_pool_connections{state="idle"})',
        "{{instance}}",
      ],
    ]),
    panel(
      "Statements that wait for a connection",
      "short",
      [["sum by (instance, pool) (database_pool_waiting)", "{{instance}} {{pool}}"]],
      { thresholds: [1, 10] },
    ),
    panel(
      "Kept answers, by result",
      "reqps",
      [[`sum by (result) (${rate("kept_answers_total")})`, "{{result}}"]],
      { stacked: true },
    ),
    panel(
      "Streams of events that are open",
      "short",
      [["sum by (instance) (event_streams_open)", "{{instance}}"]],
      { stacked: true },
    ),
    panel("Streams that ended, by cause", "ops", [
      [`sum by (cause) (${rate("event_streams_ended_total")})`, "{{cause}}"],
    ]),
  ],
};

export const DASHBOARDS: readonly Dashboard[] = [overview, api, SENDING, CHAINS, WEBHOOKS, MARKET, PROCESS];
