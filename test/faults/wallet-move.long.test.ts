import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, jest } from "@jest/globals";
import { type Hex, type LocalAccount, parseEther, parseEventLogs } from "viem";
import { stockAbi } from "../../src/contracts/abi/index.ts";
import { present, until } from "../support/assert/until.ts";
import type { Delegation, Send } from "../support/http/answers.ts";
import type { Partner } from "../support/http/partner.ts";
import { devicePrograms, type SoftHsm, startSoftHsm } from "../support/pkcs11/softhsm.ts";
import { operate } from "../support/program/command.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { minedFrom } from "../support/sender/chain-fixture.ts";
import { enable, enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/**
 * docs/faults.md, row 98: the steps of docs/operations/wallet-keys.md#move-a-wallets-users, from a key in memory to one in a device, while
 * partners send.
 */
jest.setTimeout(300_000);
const USERS = 3;
const PAUSE_MS = 100;

/** Result of a partner's program: the notionals of its orders that are on the chain, and how often it was refused meanwhile. */
interface Load {
  placed: string[];
  refusals: number;
  stop(): Promise<void>;
}

describeWhere("softhsm", "the users of a wallet", () => {
  let hsm: SoftHsm;
  let stack: Stack;
  let api: Started;
  let worker: Started;
  let partners: Partner[];

  beforeAll(async () => {
    hsm = startSoftHsm();
    stack = await startStack({ users: USERS, blockTimeSeconds: 1 });
    [api, worker] = await Promise.all([stack.startApi(), stack.startWorker()]);
    await untilReady(api.url);
    partners = await Promise.all(stack.product.users.map((user) => enableUser(stack.sending, api.url, user)));
  });
  afterAll(async () => {
    await stack?.close();
    hsm?.stop();
  });

  /** Replaces the worker as a rolling update does. */
  const replaceWorker = async (env: NodeJS.ProcessEnv): Promise<void> => {
    const before = worker;
    worker = await stack.startWorker(env);
    before.program.kill("SIGTERM");
    expect(await before.program.exited).toBe(0);
  };
  const wallets = async (): Promise<Hex[]> => {
    const { out } = await operate(["wallets", "list", "--json"], stack.sending.env);
    return JSON.parse(out).map(({ wallet }: { wallet: Hex }) => wallet.toLowerCase());
  };
  const more = (loads: readonly Load[], count: number) => {
    const goals = loads.map((load) => [load, load.placed.length + count] as const);
    return until(`${count} more orders of each`, () =>
      goals.every(([load, goal]) => load.placed.length >= goal),
    );
  };

  it("move from a key in memory to one in a device under load: no order is lost, and none is placed twice", async () => {
    const old = present(stack.sending.wallets[0], "the wallet in memory");
    const loads = partners.map((partner, index) =>
      startLoad(stack, partner, present(stack.product.users[index], "a user"), index),
    );
    await more(loads, 3);

    hsm.createKey("sending");
    const pin = { SENDER_HSM_TOKEN: hsm.token, SENDER_HSM_KEYS: "sending", SENDER_HSM_PIN: hsm.pin };
    const device = { ...hsm.env, ...pin, SENDER_HSM_DRIVER: hsm.library };
    await replaceWorker(device);
    const moved = await until("the new wallet is there", async () =>
      (await wallets()).find((wallet) => wallet !== old),
    );
    await stack.chain.setBalance({ address: moved, value: 10n ** 21n });
    expect({ refusalsBeforeRetirement: loads.map(({ refusals }) => refusals) }).toEqual({
      refusalsBeforeRetirement: loads.map(() => 0),
    });

    const retire = (...args: string[]) =>
      operate(["wallets", "retire", "31337", old, ...args], stack.sending.env);
    expect(await retire("--yes")).toMatchObject({ code: 0 });
    await more(loads, 2);
    for (const pid of devicePrograms(worker.program.pid)) process.kill(pid, "SIGKILL");
    await more(loads, 2);
    await until("no users of the old wallet are left", async () => {
      // Without the pauses between passes.
      await stack.pool.query("UPDATE app.wallet_retirement SET next_at = least(next_at, now())");
      const { out } = await retire("--status", "--json");
      return JSON.parse(out).finishedAt !== null;
    });

    await replaceWorker({ ...device, SENDER_KEYS: "" });
    const atEnd = await minedFrom(stack.chain, old);
    await more(loads, 2);
    await Promise.all(loads.map((load) => load.stop()));
    // The new wallet needs nothing of the old one.
    expect(await minedFrom(stack.chain, old)).toEqual(atEnd);

    const placed = (await placedOrders(stack)).map(String).sort();
    const expected = loads.flatMap((load) => load.placed.map((notional) => String(parseEther(notional))));
    expect(placed).toEqual(expected.sort());
    // Each user was moved once, by a signature of theirs, and by no more.
    const { rows } = await stack.pool.query(
      "SELECT wallet, count(*)::int AS enables FROM app.send_request WHERE operation = '1ct/enable' AND mined_success GROUP BY wallet",
    );
    expect(Object.fromEntries(rows.map(({ wallet, enables }) => [wallet, enables]))).toEqual({
      [old]: USERS,
      [moved]: USERS,
    });
  });
});

/** Notionals of all orders that were placed on the chain, in wad. */
async function placedOrders({ product }: Stack): Promise<bigint[]> {
  const logs = await product.client.getLogs({ address: product.deployment.stock, fromBlock: 0n });
  return parseEventLogs({ abi: stockAbi, eventName: "MarketOrderPlaced", logs }).map(
    ({ args }) => args.amount,
  );
}

/** Places one order after the other, as docs/one-click.md#when-it-ends has programs do. */
function startLoad(stack: Stack, partner: Partner, user: LocalAccount, index: number): Load {
  let isOver = false;
  const load: Load = { placed: [], refusals: 0, stop };
  const running = (async () => {
    for (let count = 0; !isOver; count++) {
      const notional = `${11 + index}.${1001 + count}`;
      await placeOrder(stack, partner, user, load, notional);
      load.placed.push(notional);
      await sleep(PAUSE_MS);
    }
  })();
  async function stop(): Promise<void> {
    isOver = true;
    await running;
  }
  return load;
}

/** Repeats an order until it is on the chain; under another Idempotency-Key once a request has failed for good. */
async function placeOrder(stack: Stack, partner: Partner, user: LocalAccount, load: Load, notional: string) {
  const body = marketBuy(stack.sending, notional);
  for (let key = randomUUID(); ; await sleep(PAUSE_MS)) {
    const { body: answer } = await partner.post<Send>("/orders/send", body, withKey(key));
    if (answer.code === 200) {
      const { status, final } = answer.data;
      if (status === "confirmed") return;
      if (status === "failed" && final) key = randomUUID();
      continue;
    }
    expect(["DELEGATION_NOT_ENABLED", "OPERATOR_UNAVAILABLE"]).toContain(answer.errCode);
    load.refusals++;
    const { body: status } = await partner.get<Delegation>("/1ct/status");
    if (status.code === 200 && status.data.status === "disabled") await enable(partner, user.address, user);
  }
}
