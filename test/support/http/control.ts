import { z } from "zod";
import { present, until } from "../assert/until.ts";
import type { Config } from "./answers.ts";
import type { Partner } from "./partner.ts";

/** The sandbox's control (docs/SANDBOX.md): scripts for the broker, the market and the chains. */
export interface Control {
  /** @throws Error with the control's answer, where it refuses */
  post(path: string, body?: unknown): Promise<unknown>;
  /**
   * Waits until nothing moves on the partner's chain by itself any more, and the API has seen it: no market order, cancel or
   * operation is left to settle. For tests that count balances by the last digit, after others that left orders behind.
   */
  quiet(partner: Partner): Promise<void>;
  /** Fills the cashier's buffers of a token by half, hands them back to the broker, and waits until the API shows it. */
  releaseBuffers(partner: Partner, token: string): Promise<void>;
  /** Waits until the API answers from this block of the partner's chain, or a later one. */
  indexed(partner: Partner, block: number): Promise<void>;
  /** Makes final what a chain has mined: without it that takes the seconds of so many blocks. */
  finalize(chainId: number): Promise<void>;
}

const stateSchema = z.object({
  chains: z.array(
    z.object({
      chainId: z.number(),
      blockNumber: z.number(),
      orders: z.array(z.object({ type: z.string(), canceling: z.boolean() })),
      operations: z.array(z.unknown()),
    }),
  ),
});

/** Blocks on top of which a transaction of the sandbox is final (docs/SANDBOX.md). */
const CONFIRMATIONS = 6;

export function createControl(controlUrl: string): Control {
  async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${controlUrl}${path}`, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Returns the chain's head once the broker only watches resting limit orders. */
  const idle = (chainId: number) =>
    until(
      "the broker idle",
      async () => {
        const { chains } = stateSchema.parse(await ask("/state"));
        const chain = present(
          chains.find((one) => one.chainId === chainId),
          "the chain's state",
        );
        const isBusy = chain.orders.some(({ type, canceling }) => type === "Market" || canceling);
        return isBusy || chain.operations.length > 0 ? undefined : chain.blockNumber;
      },
      60_000,
    );

  async function indexed(partner: Partner, block: number): Promise<void> {
    const atBlock = () => partner.get("/orders", { limit: "1" }, { headers: { "x-min-block": `${block}` } });
    // One request waits 5 s for the index, which on a slow machine may not be enough.
    await until(`the API at block ${block}`, () => partner.must(atBlock()));
  }

  const post = (path: string, body: unknown = {}) =>
    ask(path, { method: "POST", body: JSON.stringify(body) });

  async function releaseBuffers(partner: Partner, token: string): Promise<void> {
    const config = () => partner.must(partner.get<Config>("/config"));
    const half = (amount: string) => String(Math.floor(Number(amount) / 2));
    const { chainId, cashierBuffer, cashierTokenConfig } = await config();
    const terms = present(
      cashierTokenConfig.find(({ tokenAddress }) => tokenAddress === token),
      "the cash token's configuration",
    );
    const creditBuffer = half(cashierBuffer.creditBufferCapacity);
    const withdrawBuffer = half(terms.withdrawBufferCapacity);
    await post("/buffers", { chainId, creditBuffer, token, withdrawBuffer });
    await post("/buffers", { chainId, release: true });
    await until(
      "the buffers are indexed",
      async () => (await config()).cashierBuffer.creditBuffer === creditBuffer || undefined,
    );
  }

  return {
    releaseBuffers,
    post,
    async quiet(partner) {
      await indexed(partner, await idle(partner.key.chainId));
    },
    indexed,
    finalize: async (chainId) => void (await post("/mine", { chainId, blocks: CONFIRMATIONS })),
  };
}
