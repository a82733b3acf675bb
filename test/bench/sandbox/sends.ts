import { randomUUID } from "node:crypto";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { present, until } from "../../support/assert/until.ts";
import type { Send } from "../../support/http/answers.ts";
import { createPartner, type Partner } from "../../support/http/partner.ts";
import { enable, inAnHour, withKey } from "../../support/sender/sending.ts";
import type { Outcome } from "../load/job.ts";
import { summarize } from "../rounds.ts";
import { createCpuMeter } from "./cpu.ts";
import type { SandboxContext, SandboxScenario } from "./scenario.ts";

const CLIENTS = 32;
const SENDS = 600;

/**
 * `POST /orders/send` through one wallet, by 32 clients at once: sends a second until the last order is indexed, how
 * long answers take, and the processor time that a send costs each program.
 */
export const sends: SandboxScenario = async (context, report) => {
  const { partner, stockAddress } = await enabledPartner(context);
  const count = context.isQuick ? SENDS / 10 : SENDS;
  const cpuSeconds = await createCpuMeter(context.directory, context.adminUrl);
  const before = cpuSeconds();
  const startedMs = performance.now();
  const latencies: number[] = [];
  const sent: { idempotencyKey: string; body: object }[] = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (sent.length < count) {
        const body = { stockAddress, side: "Buy", type: "Market", notional: "10", deadline: inAnHour() };
        const send = { idempotencyKey: randomUUID(), body };
        sent.push(send);
        const sentMs = performance.now();
        await post(partner, send);
        latencies.push(performance.now() - sentMs);
      }
    }),
  );
  for (const send of sent) {
    await until(
      "an order is indexed",
      async () => present((await post(partner, send)).mapping, "a mapping").orderId !== null,
    );
  }
  const elapsedMs = performance.now() - startedMs;
  const after = cpuSeconds();
  report({
    scenario: "sends",
    title: `${sent.length} sends through one wallet`,
    connections: CLIENTS,
    series: [summarize({ name: "POST /orders/send", outcomes: [outcomeOf(latencies, elapsedMs)] })],
    ratios: [],
    values: [...after].map(([name, seconds]) => ({
      name: `${name}, processor time of a send`,
      value: ((seconds - (before.get(name) ?? 0)) * 1000) / sent.length,
      unit: "ms",
    })),
  });
};

const post = (partner: Partner, { idempotencyKey, body }: { idempotencyKey: string; body: object }) =>
  partner.must(partner.post<Send>("/orders/send", body, withKey(idempotencyKey)));

async function enabledPartner({ state }: SandboxContext) {
  const key = present(
    state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress !== null),
    "a key that is bound to a user",
  );
  const user = present(
    state.users.find(({ address }) => address.toLowerCase() === key.userAddress?.toLowerCase()),
    "its user",
  );
  const chain = present(
    state.chains.find(({ chainId }) => chainId === key.chainId),
    "its chain",
  );
  const partner = createPartner(state.baseUrl, key);
  const account = privateKeyToAccount(user.privateKey as Hex);
  await until("sending is enabled", async () => {
    const { status } = await partner.must(partner.get<{ status: string }>("/1ct/status"));
    if (status === "disabled") await enable(partner, account.address, account);
    return status === "enable" || undefined;
  });
  return { partner, stockAddress: present(chain.stockTokens[0], "a stock token").address };
}

function outcomeOf(latencies: number[], elapsedMs: number): Outcome {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const answers = sorted.length;
  const perSecond = (answers * 1000) / elapsedMs;
  const quantiles = { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  return { answers, unavailable: 0, elapsedMs, perSecond, ...quantiles, generatorCpu: 0 };
}
