import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Hex, LocalAccount } from "viem";
import { startAnvil } from "../../../packages/sandbox/src/anvil.ts";
import { connect } from "../../../packages/sandbox/src/transact.ts";
import type { Calldata } from "../../support/http/answers.ts";
import { startForwardingProxy } from "../../support/http/forwarding-proxy.ts";
import { inAnHour } from "../../support/sender/sending.ts";
import type { Section } from "../report/result.ts";
import { type EnabledPartner, enablePartner } from "./partner.ts";
import type { OwnSandboxScenario, SandboxContext, SandboxScenario } from "./scenario.ts";
import { withSandbox } from "./start.ts";

const CHAIN_ID = 31337;
const ORDERS = 60;
const POLL_MS = 4;
const GAS = 1_000_000n;
const GIVE_UP_MS = 30_000;

/**
 * Orders that a user submits by their own wallet, one after the other: how long after its block an order is in the index, and
 * how long after that its key, to which a verified suffix maps it, is answered it by `GET /orders/{orderId}`.
 */
export const visible: SandboxScenario = (context, report) =>
  measureVisible(
    context,
    "Orders by users' own wallets, one at a time, a node that announces blocks",
    report,
  );

/** Measures the same with a node without WebSockets. */
export const visibleByPolling: OwnSandboxScenario = ({ isQuick }, report) =>
  withSandbox(
    (sandbox) =>
      measureVisible(
        { ...sandbox, isQuick },
        "Orders by users' own wallets, one at a time, a node that is polled",
        report,
      ),
    startPolledNode,
  );

async function startPolledNode() {
  const anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 1 });
  // It passes on no request to change to WebSockets.
  const proxy = await startForwardingProxy(anvil.rpcUrl, "127.0.0.1");
  const stop = async () => {
    await proxy.close();
    await anvil.stop();
  };
  return { env: { [`SANDBOX_RPC_URL_${CHAIN_ID}`]: proxy.url }, stop };
}

async function measureVisible(
  { isQuick, state, adminUrl }: Pick<SandboxContext, "isQuick" | "state" | "adminUrl">,
  title: string,
  report: (section: Section) => void,
): Promise<void> {
  const enabled = await enablePartner(state);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const indexed: number[] = [];
  const shown: number[] = [];
  try {
    for (let n = 0; n < (isQuick ? ORDERS / 10 : ORDERS); n++) {
      // Anywhere between two polls of the indexer, and between two beats of the chain.
      await sleep(Math.random() * 1_000);
      const txHash = await placeOrder(enabled);
      const minedMs = performance.now();
      const orderId = await untilFound(() => indexedOrder(client, txHash));
      const indexedMs = performance.now();
      await untilFound(async () => {
        const { status } = await enabled.partner.get(`/orders/${orderId}`);
        return status === 200 || null;
      });
      indexed.push(indexedMs - minedMs);
      shown.push(performance.now() - indexedMs);
    }
  } finally {
    await client.end();
  }
  report({
    scenario: "visible",
    title,
    connections: null,
    series: [],
    ratios: [],
    values: [
      ...quantiles("mined to indexed", indexed),
      ...quantiles("indexed to mapped and answered", shown),
    ],
  });
}

export async function placeOrder({ partner, user, chain, stockAddress }: EnabledPartner): Promise<Hex> {
  const order = { stockAddress, side: "Buy", type: "Market", notional: "10", deadline: inAnHour() };
  const body = { ...order, userAddress: user.address };
  const { toAddress, callData } = await partner.must(partner.post<Calldata>("/orders/calldata", body));
  return submit(chain.rpcUrl, chain.chainId, user, { to: toAddress as Hex, data: callData as Hex });
}

/** Returns once it is mined. */
async function submit(
  rpcUrl: string,
  chainId: number,
  account: LocalAccount,
  call: { to: Hex; data: Hex },
): Promise<Hex> {
  const client = connect(rpcUrl, chainId);
  const [nonce, { maxFeePerGas, maxPriorityFeePerGas }] = await Promise.all([
    client.getTransactionCount({ address: account.address }),
    client.estimateFeesPerGas(),
  ]);
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const serializedTransaction = await account.signTransaction({ ...call, ...fees, chainId, nonce, gas: GAS });
  const hash = await client.sendRawTransaction({ serializedTransaction });
  await untilFound(() => client.getTransactionReceipt({ hash }).catch(() => null));
  return hash;
}

export async function indexedOrder(client: pg.Client, txHash: Hex): Promise<string | null> {
  const text = "SELECT order_id FROM onchain.stock_order WHERE tx_hash = $1";
  const { rows } = await client.query<{ order_id: string }>(text, [txHash]);
  return rows[0]?.order_id ?? null;
}

export async function untilFound<T>(find: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + GIVE_UP_MS;
  for (;;) {
    const found = await find();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error("an order did not get as far as measured");
    await sleep(POLL_MS);
  }
}

export function quantiles(what: string, ms: number[]): { name: string; value: number; unit: string }[] {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return [
    { name: `${what}, p50`, value: at(0.5), unit: "ms" },
    { name: `${what}, p90`, value: at(0.9), unit: "ms" },
    { name: `${what}, max`, value: at(1), unit: "ms" },
  ];
}
