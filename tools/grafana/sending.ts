import { type Dashboard, panel, type Query, stat } from "./panels.ts";
import { RATE } from "./rates.ts";

// Dashboards of sending and of chains, which may be narrowed to one chain.

const CHAIN = 'chain_id=~"$chain"';
const byWallet = (metric: string): Query => [
  `max by (chain_id, wallet) (${metric}{${CHAIN}})`,
  "{{chain_id}} {{wallet}}",
];
const duration = (q: number, until: string): string =>
  `histogram_quantile(${q}, sum by (le) (rate(send_duration_seconds_bucket{${CHAIN},until="${until}"}${RATE})))`;

export const SENDING: Dashboard = {
  name: "sending",
  title: "Sending",
  description:
    "Requests to send, from acceptance to finality, and the wallets that send them. Every worker shows the same queue.",
  byChain: true,
  items: [
    stat("Wallets that send", "none", `sum(max by (chain_id, wallet) (send_wallet_active{${CHAIN}}))`),
    stat(
      "Paused or halted",
      "none",
      `count(max by (chain_id, wallet) (send_wallet_state{${CHAIN},state=~"paused|halted"})) or vector(0)`,
      { thresholds: [1, 1] },
    ),
    stat("Chains that an operator halted", "none", `sum(max by (chain_id) (sending_halted{${CHAIN}}))`, {
      thresholds: [1, 1],
    }),
    stat("Oldest request", "s", `max(send_queue_oldest_seconds{${CHAIN}})`, { thresholds: [30, 120] }),
    stat(
      "Waiting without a nonce",
      "short",
      `sum(max by (chain_id, wallet) (send_queue_depth{${CHAIN},state="accepted"}))`,
    ),
    stat(
      "Days until a wallet is empty",
      "short",
      `min(max by (chain_id, wallet) (send_wallet_balance_coins{${CHAIN}}) / (max by (chain_id, wallet) (-deriv(send_wallet_balance_coins{${CHAIN}}[6h])) > 0)) / 86400`,
      { thresholds: [7, 3], decimals: 1 },
    ),
    { heading: "Requests" },
    panel(
      "Requests that are not final, by state",
      "short",
      [[`sum by (state) (max by (chain_id, wallet, state) (send_queue_depth{${CHAIN}}))`, "{{state}}"]],
      { stacked: true },
    ),
    panel("Age of the oldest, by wallet", "s", [byWallet("send_queue_oldest_seconds")], {
      thresholds: [30, 120],
    }),
    panel("Broadcast and mined, a second", "ops", [
      [`sum by (until) (rate(send_duration_seconds_count{${CHAIN}}${RATE}))`, "{{until}}"],
    ]),
    panel(
      "Until broadcast",
      "s",
      [
        [duration(0.5, "broadcast"), "p50"],
        [duration(0.99, "broadcast"), "p99"],
      ],
      { thresholds: [2, 5] },
    ),
    panel(
      "Until mined",
      "s",
      [
        [duration(0.5, "mined"), "p50"],
        [duration(0.99, "mined"), "p99"],
      ],
      { thresholds: [30, 60] },
    ),
    panel(
      "Failures within an hour, by cause",
      "short",
      [["max by (err_code) (delta(send_failures[1h])) > 0", "{{err_code}}"]],
      { stacked: true },
    ),
    { heading: "Wallets and alarms" },
    panel("Balance, in coins", "short", [byWallet("send_wallet_balance_coins")], { decimals: 4 }),
    panel(
      "Spent in an hour, in coins",
      "short",
      [
        [
          `max by (chain_id, wallet) (-delta(send_wallet_balance_coins{${CHAIN}}[1h])) > 0`,
          "{{chain_id}} {{wallet}}",
        ],
      ],
      { decimals: 6 },
    ),
    panel("Next nonce", "none", [byWallet("send_wallet_next_nonce")]),
    panel(
      "Alarms a minute",
      "short",
      [[`sum by (alarm, chain_id) (increase(send_alarms_total{${CHAIN}}[1m]))`, "{{alarm}} {{chain_id}}"]],
      { width: 12, stacked: true },
    ),
    panel(
      "States",
      "none",
      [[`max by (chain_id, wallet, state) (send_wallet_state{${CHAIN}})`, "{{wallet}} {{state}}"]],
      { width: 12, type: "table" },
    ),
  ],
};

export const CHAINS: Dashboard = {
  name: "chains",
  title: "Chains and indexer",
  description: "Nodes as api and worker see them, the age of the index, and Ponder's own work.",
  byChain: true,
  items: [
    stat("Chains with a node", "none", `sum(chain:node_up:min{${CHAIN}})`),
    stat("Oldest index", "s", `max(indexer_block_age_seconds{${CHAIN}})`, { thresholds: [60, 120] }),
    stat("Indexers", "none", 'sum(up{job="partner-trading-indexer"})', { thresholds: [1, 0.5] }),
    stat("Backfilling chains", "none", "count(max by (chain) (ponder_sync_is_realtime) == 0) or vector(0)", {
      thresholds: [1, 1],
    }),
    stat("Reorgs in a day", "short", "sum(increase(ponder_realtime_reorg_total[1d]))", { decimals: 0 }),
    stat(
      "Calls without an answer",
      "percentunit",
      `sum(rate(rpc_requests_total{${CHAIN},result="unreachable"}[5m])) / sum(rate(rpc_requests_total{${CHAIN}}[5m]))`,
      { thresholds: [0.01, 0.1] },
    ),
    { heading: "Nodes" },
    panel(
      "Calls a second, by node",
      "ops",
      [[`sum by (chain_id, node) (rate(rpc_requests_total{${CHAIN}}${RATE}))`, "{{chain_id}} {{node}}"]],
      { stacked: true },
    ),
    panel(
      "Share without an answer, by node",
      "percentunit",
      [
        [
          `sum by (chain_id, node) (rate(rpc_requests_total{${CHAIN},result="unreachable"}${RATE})) / sum by (chain_id, node) (rate(rpc_requests_total{${CHAIN}}${RATE}))`,
          "{{chain_id}} {{node}}",
        ],
      ],
      { thresholds: [0.1, 0.5] },
    ),
    panel(
      "p99 of a call, by node",
      "s",
      [
        [
          `histogram_quantile(0.99, sum by (le, chain_id, node) (rate(rpc_request_duration_seconds_bucket{${CHAIN}}${RATE})))`,
          "{{chain_id}} {{node}}",
        ],
      ],
      { thresholds: [1, 5] },
    ),
    panel(
      "Calls a second, by method",
      "ops",
      [[`topk(10, sum by (method) (rate(rpc_requests_total{${CHAIN}}${RATE})))`, "{{method}}"]],
      { stacked: true, width: 12 },
    ),
    panel(
      "Errors that nodes answered, by method",
      "ops",
      [[`sum by (method) (rate(rpc_requests_total{${CHAIN},result="error"}${RATE}))`, "{{method}}"]],
      { stacked: true, width: 12 },
    ),
    { heading: "Indexer" },
    panel(
      "Age of the indexed block",
      "s",
      [[`max by (chain_id) (indexer_block_age_seconds{${CHAIN}})`, "{{chain_id}}"]],
      { thresholds: [60, 120] },
    ),
    panel("Synced block, a second", "ops", [
      [`max by (chain) (deriv(ponder_sync_block{chain=~"$chain"}[5m]))`, "{{chain}}"],
    ]),
    panel(
      "Backfill: blocks done",
      "percentunit",
      [
        [
          '(sum by (chain) (ponder_historical_completed_blocks{chain=~"$chain"}) + sum by (chain) (ponder_historical_cached_blocks{chain=~"$chain"})) / sum by (chain) (ponder_historical_total_blocks{chain=~"$chain"})',
          "{{chain}}",
        ],
      ],
      { max: 1 },
    ),
    panel("Calls of the indexer that failed", "ops", [
      [
        `sum by (chain, method) (rate(ponder_rpc_request_error_total{chain=~"$chain"}${RATE}))`,
        "{{chain}} {{method}}",
      ],
    ]),
    panel("Events indexed, a second", "ops", [
      ["sum(deriv(ponder_indexing_completed_events[5m]))", "events"],
    ]),
    panel(
      "Statements that wait for a connection",
      "short",
      [["sum by (pool) (ponder_postgres_query_queue_size)", "{{pool}}"]],
      { thresholds: [1, 50] },
    ),
  ],
};
