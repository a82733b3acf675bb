import { start as startWorker, type WorkerOverrides } from "../../../src/worker.ts";
import { openLog } from "../assert/logs.ts";
import { type Product, startProduct } from "../chain/product.ts";
import { createOnchain } from "../db/onchain.ts";
import { createDatabase } from "../db/postgres.ts";
import { seedTerms } from "../db/seed.ts";
import { startTestApi, type TestApi } from "../http/api.ts";
import { createSending, type Sending, type SendingOptions } from "./sending.ts";

/** Api and worker in this process, over a product of their own whose terms are indexed. */
export interface SendingApi {
  product: Product;
  sending: Sending;
  api: TestApi;
  /** Added to the time that api and worker see, milliseconds. */
  clock: { aheadMs: number };
  close(): Promise<void>;
}

interface StageOptions extends SendingOptions {
  /** Starts a proxy between the programs and the product's node. @returns its URL */
  through?: (rpcUrl: string) => Promise<string>;
}

/** @param workerEnv in the place of the wallets' keys in plain text */
export async function startSendingApi(
  { through, ...options }: StageOptions = {},
  workerEnv?: (sending: Sending) => NodeJS.ProcessEnv,
): Promise<SendingApi> {
  const [database, product] = await Promise.all([createDatabase(), startProduct({ users: 4 })]);
  const rpcUrls = [through ? await through(product.rpcUrl) : product.rpcUrl];
  const sending = await createSending(database.url, product, { rpcUrls, ...options });
  await seedTerms(await createOnchain(sending.pool), product);
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const overrides: WorkerOverrides = { now, logTo: openLog("worker") };
  const worker = await startWorker(workerEnv?.(sending) ?? sending.workerEnv, overrides);
  const api = await startTestApi(sending.env, { now });
  return {
    product,
    sending,
    api,
    clock,
    close: async () => {
      await Promise.all([api.stop(), worker.stop()]);
      await sending.dispose();
      await Promise.all([database.drop(), product.stop()]);
    },
  };
}
