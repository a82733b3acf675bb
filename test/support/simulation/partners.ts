import { encodeFunctionData, type Hex, numberToHex } from "viem";
import { oneClickRouterAbi, stockRouterAbi } from "../../../src/contracts/abi/index.ts";
import { KEY_LOST } from "../../../src/sending/retirement/lost-key-store.ts";
import { NOWHERE, STOCK_TOKEN } from "../sender/new-send.ts";
import { UNSENT } from "../sender/unsent.ts";
import type { Effect, SimulatedChain } from "./chain.ts";
import { ENDED, type MemoryDatabase, type RequestRow, type Transaction } from "./database.ts";
import { delegationLock, isEnabled, newWallet, requestLock, walletLock } from "./memory-store.ts";
import type { Observer } from "./observer.ts";
import { type Action, USERS, WALLETS } from "./scenario.ts";

export const CHAIN_ID = 31337;
export const PRODUCT = "Sandbox";
/** One mUSD, wad. */
export const MUSD = 10n ** 18n;
/** Gas limit of an ordinary call. */
export const GAS = 100_000n;
/** Daily cap of the key of the last user. */
const CAP = 400n * MUSD;

const idOf = (count: number): string => `00000000-0000-4000-8000-${count.toString().padStart(12, "0")}`;
const keyOf = (user: number): string => idOf(900_000 + user);
const addressOf = (kind: string, index: number): Hex => `0x${kind}${index.toString(16).padStart(38, "0")}`;
const NO_LOCKS = (): [] => [];

export const walletsOfWorld: readonly Hex[] = Array.from({ length: WALLETS }, (_, index) =>
  addressOf("a1", index + 1),
);
export const usersOfWorld: readonly Hex[] = Array.from({ length: USERS }, (_, index) =>
  addressOf("b2", index + 1),
);
export const walletOf = (user: number): Hex => walletsOfWorld[user % WALLETS] as Hex;

interface PartnersOptions {
  database: MemoryDatabase;
  chain: SimulatedChain;
  observer: Observer;
  /** Notifies the wallet's workers. */
  announce: (wallet: Hex) => void;
}

/**
 * Actions of the api and of operators, as transactions with the locks of the real ones (src/sending/outbox, src/oneclick). Faults may take
 * any of them: the observer judges what is left.
 */
export class Partners {
  private readonly database: MemoryDatabase;
  private readonly chain: SimulatedChain;
  private readonly observer: Observer;
  private readonly announce: (wallet: Hex) => void;
  private count = 0;
  private calls = 0;

  constructor({ database, chain, observer, announce }: PartnersOptions) {
    this.database = database;
    this.chain = chain;
    this.observer = observer;
    this.announce = announce;
  }

  seed(): void {
    const { database } = this;
    const setup = database.begin(null);
    for (const address of walletsOfWorld) setup.put("wallets", address, newWallet(address));
    for (const [index, user] of usersOfWorld.entries()) {
      const keyId = keyOf(index);
      const isCapped = index === USERS - 1;
      const policy = {
        dailyNotionalCap: isCapped ? CAP : null,
        allowedSymbols: [],
        allowedOperations: [],
        expiresAtMs: null,
        killed: false,
      };
      setup.put("keys", keyId, { keyId, user, isWritable: true, isRevoked: false, policy });
      setup.put("delegations", user, { user, delegatee: walletOf(index), blocked: false, epoch: 0 });
      const enable = this.newRequest(index, {
        operation: "1ct/enable",
        data: "0x",
        deadline: null,
        notional: null,
      });
      setup.put("requests", enable.requestId, {
        ...enable,
        wallet: addressOf("c3", index),
        operationKey: `enable:${user}:0`,
        delegationEpoch: 0,
        state: "final",
        outcome: "confirmed",
        nonce: 0n,
        minedSuccess: true,
      });
    }
    database.applyNow(setup);
  }

  private newRequest(
    user: number,
    { operation, data, deadline, notional }: Pick<RequestRow, "operation" | "data" | "deadline" | "notional">,
    gasLimit = GAS,
  ): RequestRow {
    const sequence = this.database.next();
    return {
      requestId: idOf(++this.count),
      keyId: keyOf(user),
      chainId: CHAIN_ID,
      productType: PRODUCT,
      operation,
      user: usersOfWorld[user] as Hex,
      wallet: walletOf(user),
      to: NOWHERE,
      data,
      gasLimit,
      deadline,
      notional,
      inputHash: "",
      ...UNSENT,
      acceptedAtMs: this.database.scheduler.nowMs,
      sequence,
      operationKey: null,
      signedNotional: null,
      signedAtMs: null,
    };
  }

  async send({ user, call, deadline, notional }: Extract<Action, { kind: "send" }>): Promise<void> {
    const { database } = this;
    const { scheduler } = database;
    const address = usersOfWorld[user] as Hex;
    const wallet = walletOf(user);
    const seconds = BigInt(Math.floor(scheduler.nowMs / 1000));
    const until = seconds + BigInt(deadline ?? 86_400);
    // The low digits tell calls apart.
    const unique = BigInt(++this.calls);
    const amount = notional === null ? null : BigInt(notional) * MUSD + unique;
    const data = this.register(orderCall(address, { amount: amount ?? -unique, deadline: until }), {
      kind: "call",
      user: address,
      deadline: until,
      userNonce: 0,
      isReverting: call === "reverting",
    });
    const transaction = database.begin(null);
    const isOpen = await database.statement(
      transaction,
      () => [{ key: delegationLock(address), isShared: true }],
      () => {
        const row = database.get("wallets", wallet);
        const key = database.get("keys", keyOf(user));
        const isUsable = row?.state === "active" && row.assignable && !database.get("halts", "halt");
        return isUsable && !key?.policy?.killed && isEnabled(database, address, keyOf(user));
      },
    );
    if (!isOpen) return database.rollback(transaction);
    const gas = call === "low-gas" ? 25_000n : GAS;
    const row = this.newRequest(
      user,
      { operation: "orders/send", data, deadline: until, notional: amount },
      gas,
    );
    await database.statement(transaction, NO_LOCKS, () => transaction.put("requests", row.requestId, row));
    await database.commit(transaction);
    this.announce(wallet);
  }

  private register(data: Hex, effect: Effect): Hex {
    this.chain.effects.set(data, effect);
    return data;
  }

  async disable(user: number): Promise<void> {
    const { database } = this;
    const address = usersOfWorld[user] as Hex;
    const transaction = database.begin(null);
    const waiting: string[] = [];
    await database.statement(
      transaction,
      () => [{ key: delegationLock(address) }],
      () => undefined,
    );
    await this.cancelWaiting(transaction, (row) => row.user === address);
    const underWay = [...database.all("requests")].some(
      (row) => row.user === address && row.operation === "1ct/enable" && !ENDED.has(row.state),
    );
    await database.statement(transaction, NO_LOCKS, () => {
      const delegation = transaction.get("delegations", address);
      if (!delegation) return;
      const epoch = delegation.blocked && !underWay ? delegation.epoch : delegation.epoch + 1;
      transaction.put("delegations", address, { ...delegation, blocked: true, epoch });
      const onChain = this.chain.head.state.delegations.get(address)?.delegatee;
      if (!underWay && onChain !== walletOf(user)) return;
      const operationKey = `undelegate:${address}:${epoch}`;
      if ([...database.all("requests")].some((row) => row.operationKey === operationKey)) return;
      const data = this.register(
        encodeFunctionData({ abi: oneClickRouterAbi, functionName: "undelegateFor", args: [address] }),
        {
          kind: "disable",
          user: address,
          deadline: null,
          userNonce: 0,
          isReverting: false,
        },
      );
      const row = this.newRequest(user, { operation: "1ct/disable", data, deadline: null, notional: null });
      transaction.put("requests", row.requestId, { ...row, operationKey });
      waiting.push(row.requestId);
    });
    await database.commit(transaction);
    this.announce(walletOf(user));
  }

  async enable(user: number): Promise<void> {
    const { database } = this;
    const { scheduler } = database;
    const address = usersOfWorld[user] as Hex;
    const wallet = walletOf(user);
    const userNonce = this.chain.head.state.delegations.get(address)?.nonce ?? 0;
    const delegationEpoch = database.get("delegations", address)?.epoch ?? 0;
    const operationKey = `enable:${address}:${userNonce}`;
    const transaction = database.begin(null);
    const isOpen = await database.statement(
      transaction,
      () => [{ key: delegationLock(address), isShared: true }],
      () => {
        const row = database.get("wallets", wallet);
        const isTaken = [...database.all("requests")].some((other) => other.operationKey === operationKey);
        const isUsable = row?.state === "active" && row.assignable && !database.get("halts", "halt");
        return isUsable && !isTaken && database.get("delegations", address)?.epoch === delegationEpoch;
      },
    );
    if (!isOpen) return database.rollback(transaction);
    const deadline = BigInt(Math.floor(scheduler.nowMs / 1000)) + 600n;
    const data = this.register(
      encodeFunctionData({
        abi: oneClickRouterAbi,
        functionName: "delegateBySig",
        args: [address, wallet, BigInt(userNonce), Number(deadline), numberToHex(++this.calls, { size: 65 })],
      }),
      { kind: "enable", user: address, deadline, userNonce, isReverting: false },
    );
    const row = this.newRequest(user, { operation: "1ct/enable", data, deadline, notional: null });
    await database.statement(transaction, NO_LOCKS, () =>
      transaction.put("requests", row.requestId, { ...row, operationKey, delegationEpoch }),
    );
    await database.commit(transaction);
    this.announce(wallet);
  }

  async killKey(user: number): Promise<void> {
    const { database } = this;
    const keyId = keyOf(user);
    const transaction = database.begin(null);
    await database.statement(
      transaction,
      () => [{ key: `policy ${keyId}` }],
      () => {
        const key = transaction.get("keys", keyId);
        if (key?.policy) transaction.put("keys", keyId, { ...key, policy: { ...key.policy, killed: true } });
      },
    );
    await this.cancelWaiting(transaction, (row) => row.keyId === keyId);
    await database.commit(transaction);
  }

  async retire(index: number): Promise<void> {
    const { database } = this;
    const wallet = walletsOfWorld[index] as Hex;
    await database.autocommit(
      null,
      () => [{ key: walletLock(wallet) }],
      (transaction) => transaction.update("wallets", wallet, { assignable: false }),
    );
  }

  /**
   * Gives a wallet up once nothing that it signed is open, as often as it takes (src/sending/retirement/lost-key-store.ts).
   */
  async giveUp(index: number): Promise<void> {
    const { database } = this;
    const wallet = walletsOfWorld[index] as Hex;
    await this.retire(index);
    const transaction = database.begin(null);
    await database.statement(
      transaction,
      () => [{ key: walletLock(wallet) }],
      () => {
        const leaseEpoch = (transaction.get("wallets", wallet)?.leaseEpoch ?? 0n) + 1n;
        transaction.update("wallets", wallet, { leaseEpoch, leaseOwner: KEY_LOST, leaseUntilMs: Infinity });
      },
    );
    const openOf = (...states: RequestRow["state"][]) =>
      [...(database.openOf.get(wallet) ?? [])]
        .flatMap((requestId) => database.get("requests", requestId) ?? [])
        .filter(({ state }) => states.includes(state));
    let isSigned = false;
    await database.statement(
      transaction,
      () => openOf("accepted", "reserved").map(({ requestId }) => ({ key: requestLock(requestId) })),
      () => {
        isSigned = openOf("signed", "broadcast", "mined").length > 0;
        for (const { requestId } of openOf("accepted", "reserved"))
          transaction.update("requests", requestId, { state: "canceled", errCode: "OPERATOR_UNAVAILABLE" });
      },
    );
    if (!isSigned) return await database.commit(transaction);
    await database.rollback(transaction);
    database.scheduler.after(5_000, null, () => void this.giveUp(index).catch(() => undefined));
  }

  async haltChain(isHalted: boolean): Promise<void> {
    const { database } = this;
    const row = isHalted ? ({ isHalted: true } as const) : undefined;
    if (!isHalted) this.observer.isHalted = false;
    await database.autocommit(null, NO_LOCKS, (transaction) => transaction.put("halts", "halt", row));
    if (!isHalted) {
      // On a slow database the halt's last statement may have run meanwhile, and found the chain halted still.
      this.observer.isHalted = false;
      return;
    }
    const locks = walletsOfWorld.map((wallet) => ({ key: walletLock(wallet) }));
    await database.autocommit(
      null,
      () => locks,
      () => {
        this.observer.isHalted = database.get("halts", "halt") !== undefined;
      },
    );
  }

  private async cancelWaiting(transaction: Transaction, isOf: (row: RequestRow) => boolean): Promise<void> {
    const { database } = this;
    const waiting = (): RequestRow[] =>
      [...database.all("requests")]
        .filter((row) => isOf(row) && row.state === "accepted" && row.operation !== "1ct/disable")
        .sort((a, b) => a.sequence - b.sequence);
    await database.statement(
      transaction,
      () => waiting().map(({ requestId }) => ({ key: requestLock(requestId) })),
      () => {
        for (const { requestId } of waiting())
          transaction.update("requests", requestId, { state: "canceled", errCode: "DELEGATION_NOT_ENABLED" });
      },
    );
  }
}

function orderCall(user: Hex, { amount, deadline }: { amount: bigint; deadline: bigint }): Hex {
  const args = [STOCK_TOKEN, amount, Number(deadline)] as const;
  const routerCall = encodeFunctionData({ abi: stockRouterAbi, functionName: "placeMarketOrder", args });
  return encodeFunctionData({ abi: oneClickRouterAbi, functionName: "executeFor", args: [user, routerCall] });
}
