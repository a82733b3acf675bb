import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Hex, zeroAddress } from "viem";
import { oneClickRouterAbi } from "../../src/contracts/abi/index.ts";
import { present, until } from "../support/assert/until.ts";
import { type Product, startProduct } from "../support/chain/product.ts";
import { createDelegations } from "../support/db/builders/sends.ts";
import { createOnchain } from "../support/db/onchain.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { seedTerms } from "../support/db/seed.ts";
import { startTestApi, type TestApi } from "../support/http/api.ts";
import { lower, PRODUCT } from "../support/http/features.ts";
import { operate } from "../support/program/command.ts";
import { type Program, startProgram } from "../support/program/program.ts";
import { chainClient, minedFrom } from "../support/sender/chain-fixture.ts";
import { expireLeases } from "../support/sender/expire-leases.ts";
import { createSending, enableUser, type Sending } from "../support/sender/sending.ts";

/** docs/faults.md, row 70: the command that retires a wallet, and the worker that undelegates its users, die half way. */
const USERS = 4;
const CHAIN_ID = 31337;

let product: Product;
let sending: Sending;
let api: TestApi;
let worker: Program;
let drop: () => Promise<void>;

beforeAll(async () => {
  const [database, made] = await Promise.all([createDatabase(), startProduct({ users: USERS })]);
  [product, drop] = [made, database.drop];
  sending = await createSending(database.url, product, { wallets: 2 });
  await seedTerms(await createOnchain(sending.pool), product);
  worker = startWorker();
  api = await startTestApi(sending.env);
});
afterAll(async () => {
  await kill();
  await api?.stop();
  await sending?.dispose();
  await Promise.all([drop?.(), product?.stop()]);
});

const startWorker = () => startProgram("src/bin/worker.ts", sending.workerEnv);

async function kill(): Promise<void> {
  worker?.kill("SIGKILL");
  await worker?.exited;
}

/** Holds what a statement locks while `work` runs. */
async function holding(statement: string, values: unknown[], work: () => Promise<void>): Promise<void> {
  const holder = await sending.pool.connect();
  try {
    await holder.query("BEGIN");
    await holder.query(statement, values);
    await work();
  } finally {
    await holder.query("ROLLBACK");
    holder.release();
  }
}

/** Cuts the connections of all who wait for a user's delegation, until a command has ended by that. */
async function cutWaiting<T>(command: Promise<T>): Promise<T> {
  let ended = false;
  void command.finally(() => {
    ended = true;
  });
  await until("the command has ended", async () => {
    await sending.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
       AND wait_event_type = 'Lock' AND query LIKE '%FROM app.delegation%FOR UPDATE%'`,
    );
    return ended || undefined;
  });
  return command;
}

const countOf = async (condition: string): Promise<number> =>
  (await sending.pool.query(`SELECT FROM app.${condition}`)).rowCount ?? 0;

const undelegations = () => countOf("send_request WHERE operation = '1ct/disable'");

it("each user is undelegated once, whichever of them dies between two users", async () => {
  const leaked = present(sending.wallets[0], "a wallet");
  const users = product.users.map(({ address }) => lower(address)).sort();
  const third = present(users[2], "the third user");
  await createDelegations(sending.pool, { chainId: CHAIN_ID, productType: PRODUCT }, leaked, ...users);
  for (const user of product.users) await enableUser(sending, api.url, user);
  const LOCK = "SELECT FROM app.delegation WHERE user_address = $1 FOR SHARE";
  const retire = (...args: string[]) =>
    operate(["wallets", "retire", String(CHAIN_ID), leaked, ...args], sending.env);

  // Mining stops until both have died, so that their successor finds the delegations on the chain.
  const chain = chainClient(product.rpcUrl);
  await chain.setAutomine(false);
  await holding(LOCK, [third], async () => {
    expect(await cutWaiting(retire("--yes"))).toMatchObject({ code: 1 });
    const blocked = Number(await countOf("delegation WHERE blocked"));
    expect({ blocked, areTwo: blocked >= 2 }).toEqual({ blocked, areTwo: true });
    await until("the worker has undelegated two", async () => (await undelegations()) === 2 || undefined);
    await kill();
  });
  expect(await undelegations()).toBe(2);
  await expireLeases(sending.pool);
  worker = startWorker();
  expect((await retire("--yes")).out).toContain("was retired before");
  await until("all undelegations are there", async () => {
    await sending.pool.query("UPDATE app.wallet_retirement SET next_at = least(next_at, now())");
    return (await undelegations()) >= USERS || undefined;
  });
  await chain.setAutomine(true);
  await until(
    "no users are left",
    async () => {
      await chain.mine({ blocks: 1 });
      // Without the pauses of passes, nor the minute until another worker may take over.
      await sending.pool.query("UPDATE app.wallet_retirement SET next_at = least(next_at, now())");
      return (await countOf("wallet_retirement WHERE finished_at IS NOT NULL")) === 1 || undefined;
    },
    60_000,
  );

  for (const user of product.users) {
    const address = product.deployment.oneClickRouter;
    const args: [Hex] = [user.address];
    const read = { address, abi: oneClickRouterAbi, functionName: "delegateeOf", args } as const;
    expect({ delegatee: await product.client.readContract(read) }).toEqual({ delegatee: zeroAddress });
  }
  const sent = (await minedFrom(chain, leaked)).filter(({ input }) => input.startsWith("0xb1ee33e1"));
  expect(sent.map(({ input }) => `0x${input.slice(-40)}`).sort()).toEqual(users);
  expect(await undelegations()).toBe(USERS);
});
