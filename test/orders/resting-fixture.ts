import { afterAll, beforeEach } from "@jest/globals";
import { type Hex, parseEther } from "viem";
import { effectsOf } from "../../src/claims/effects.ts";
import { registerWallet } from "../../src/sending/sender/lease.ts";
import { DAY, LATER, router } from "../contracts/calls.ts";
import { present } from "../support/assert/until.ts";
import { delegate } from "../support/chain/delegate.ts";
import { account, send, startProduct } from "../support/chain/product.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createDelegations } from "../support/db/builders/sends.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Row } from "../support/db/onchain.ts";
import { PROJECTED, project } from "../support/db/projected.ts";
import { seedTerms } from "../support/db/seed.ts";
import { lower, PRODUCT, startFeatures } from "../support/http/features.ts";
import { seedEnable } from "../support/sender/enables.ts";

const CHAIN_ID = 31337;
const delegatee = account(7);

/**
 * Starts a chain with a user whose delegation is in force, and the key that enabled it. Orders rest on the chain and are indexed as the test says.
 * No worker sends anything. Each test begins without requests, claims, orders and policies.
 */
export async function useRestingOrders() {
  const product = await startProduct({ users: 2 });
  const features = await startFeatures([{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }]);
  const { deps } = features;
  const { pool } = deps;
  const onchain = await createOnchain(pool);
  await seedTerms(onchain, product);
  const ann = present(product.users[0], "a user");
  const user = lower(ann.address);
  const wallet = lower(delegatee.address);
  const caller = await features.makeCaller({ userAddress: user });
  const stranger = await features.makeCaller({ userAddress: user });
  await delegate(product, ann, delegatee);
  const stock = lower(present(product.deployment.stockTokens[0], "a stock").address);

  beforeEach(async () => {
    await empty(
      pool,
      "app.send_request",
      "app.transaction_claim",
      "app.delegation",
      "app.key_policy",
      "app.cancel_after",
      "app.cancel_batch",
      ...PROJECTED,
    );
    await registerWallet(pool, CHAIN_ID, wallet);
    await createDelegations(pool, caller, wallet, user);
    await seedEnable(pool, caller, user);
    await pool.query("UPDATE app.delegatee_wallet SET state = 'active' WHERE address = $1", [wallet]);
    await pool.query("DELETE FROM onchain.stock_order");
    await project(deps);
  });
  afterAll(async () => {
    await features.close();
    await product.stop();
  });

  /** Indexes orders, one for each transaction, as the key's. */
  async function index(
    keyed: typeof caller,
    ...rows: (Row<"stockOrder"> & { txHash: Hex })[]
  ): Promise<void> {
    for (const { txHash } of rows) await createClaim(pool, keyed, { txHash, source: "send" });
    const shared = { chainId: CHAIN_ID, productType: PRODUCT, userAddress: user, stockAddress: stock };
    const limit = { side: "Buy", orderType: "Limit", status: "open" } as const;
    await onchain.insert("stockOrder", ...rows.map((row) => ({ ...shared, ...limit, ...row })));
    await project(deps);
  }

  /** Places limit orders on the chain, one after the other, and indexes them as the caller's. @returns their ids, oldest first */
  async function rest(count: number, row: Row<"stockOrder"> = {}): Promise<Hex[]> {
    const { contracts } = present(deps.deployments.chains[0]?.products[0], "the product");
    const placed: { orderId: Hex; txHash: Hex }[] = [];
    for (let n = 0; n < count; n++) {
      const call = router("placeLimitOrder", stock, parseEther("1"), parseEther("1"), DAY, LATER);
      const { logs, transactionHash: txHash } = await send(
        product.client,
        ann,
        product.deployment.stockRouter,
        call,
      );
      const [effect] = effectsOf(logs, { contracts, chainId: CHAIN_ID });
      placed.push({ orderId: present(effect?.orderId, "an order"), txHash });
    }
    for (const one of placed) await index(caller, { ...one, ...row });
    return placed.map(({ orderId }) => orderId);
  }

  /** Cancels an order on the chain, as its user; the index does not know of it. */
  const cancelOnChain = (orderId: Hex) =>
    send(product.client, ann, product.deployment.stockRouter, router("cancelLimitOrder", orderId));

  /** Returns the requests to cancel, in the order of acceptance. */
  const cancels = async () =>
    (
      await pool.query<{ request_id: string; operation_key: string | null; state: string; key_id: string }>(
        "SELECT request_id, operation_key, state, key_id FROM app.send_request WHERE operation = 'orders/cancel' ORDER BY sequence",
      )
    ).rows;

  return {
    product,
    features,
    deps,
    pool,
    onchain,
    caller,
    stranger,
    user,
    wallet,
    stock,
    index,
    rest,
    cancelOnChain,
    cancels,
  };
}
