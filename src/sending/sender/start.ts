import { setTimeout as sleep } from "node:timers/promises";
import { type ChainConfig, sendingOf } from "../../config/deployments.ts";
import type { Deps } from "../../context/deps.ts";
import type { Notifications } from "../../db/notifications.ts";
import type { RpcTelemetry } from "../../telemetry/rpc-metrics.ts";
import type { Signer } from "../signer/signer.ts";
import { type Alarm, DEFAULT_SENDER_CONFIG, type SenderDeps } from "./deps.ts";
import { createFacts } from "./facts.ts";
import { createNodes } from "./nodes.ts";
import { createSqlStore } from "./sender-store.ts";
import type { CallRules } from "./verify-call.ts";
import { type Sender, startSender } from "./wallet-loop.ts";

export interface SendersOptions {
  signers: readonly Signer[];
  workNotifications: Notifications;
  rpc: RpcTelemetry;
  onAlarm: (alarm: Alarm, chainId: number) => void;
  onReached?: SenderDeps["onReached"];
}

const RPC_TIMEOUT_MS = 5_000;
const START_AGAIN_MS = 1_000;
/** Logs one line a minute per alarm and subject: a lasting condition raises its alarm in every cycle. */
const ALARM_EVERY_MS = 60_000;

/** Drives every wallet on every chain of the deployments file. Starts while the database is down, and retries until it is up. */
export function startSenders(deps: Deps, options: SendersOptions): Sender {
  const { signers, workNotifications, rpc, onAlarm, onReached } = options;
  const stopping = new AbortController();
  const raise = createAlarm(deps, onAlarm);
  const facts = createFacts(deps);
  const store = createSqlStore(deps.pool);
  const started = deps.deployments.chains.map(async (chain): Promise<Sender | null> => {
    const { chainId, rpcUrls, confirmations, pollingIntervalMs } = chain;
    const alarm: SenderDeps["alarm"] = (kind, fields) => raise(kind, { ...fields, chainId });
    const sending = sendingOf(chain);
    const nodes = createNodes({
      chainId,
      rpcUrls,
      confirmations,
      timeoutMs: RPC_TIMEOUT_MS,
      begin: rpc.of(chainId),
      onWrongChain: (answered) => alarm("wrong-chain", { answered }),
      onStale: (stale) => alarm("node-stale", { ...stale }),
    });
    const config = {
      ...DEFAULT_SENDER_CONFIG,
      pollMs: pollingIntervalMs,
      leaseMs: sending.leaseSeconds * 1000,
      inFlightMax: sending.inFlightMax,
      bumpAfterMs: sending.bumpAfterSeconds * 1000,
      maxFeePerGasCap: sending.maxFeePerGasWei,
      maxPriorityFeeCap: sending.maxPriorityFeeWei,
      minPriorityFee: sending.minPriorityFeeWei,
    };
    const rules = rulesOf(chain);
    while (!stopping.signal.aborted) {
      try {
        const senderDeps = { ...deps, store, config, rules, facts, alarm, onReached };
        return await startSender(senderDeps, { signers, chains: [nodes], workNotifications });
      } catch (err) {
        deps.log.warn({ err, chainId }, "the sender cannot start yet");
        await sleep(START_AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    return null;
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(started.map(async (sender) => (await sender)?.stop()));
    },
  };
}

function rulesOf(chain: ChainConfig): CallRules {
  const routers = chain.products.map(
    ({ productType, contracts }) => [productType, contracts.oneClickRouter] as const,
  );
  return { routers: new Map(routers), gasLimitMax: sendingOf(chain).gasLimitMax };
}

/** Logs alarms as errors, each at most once a minute, and counts all of them. */
function createAlarm({ log, now }: Deps, onAlarm: SendersOptions["onAlarm"]) {
  const last = new Map<string, number>();
  return (alarm: Alarm, fields: Record<string, unknown> & { chainId: number }): void => {
    onAlarm(alarm, fields.chainId);
    const subject = `${alarm}/${fields.chainId}/${fields.wallet ?? fields.requestId ?? fields.node ?? ""}`;
    if (now() - (last.get(subject) ?? 0) < ALARM_EVERY_MS) return;
    if (last.size > 1_000) last.clear();
    last.set(subject, now());
    log.error({ alarm, ...fields }, "sending needs attention");
  };
}
