import type { Calldata, Mapping, OperationList } from "../../support/http/answers.ts";
import { AMOUNT, type Case, type Cases, HASH, listOf, ok, refused, SENT_STATUS, told } from "./case.ts";
import * as g from "./context.ts";
import { overdrawn } from "./shortfalls.ts";

interface Kind {
  path: g.MovementPath;
  operationType: string;
  method: string;
  shown: "depositOperation" | "withdrawalOperation";
  token: string;
}

const KINDS: readonly Kind[] = [
  {
    path: "/cash/deposits",
    operationType: "deposit",
    method: "deposit",
    shown: "depositOperation",
    token: g.cash.address,
  },
  {
    path: "/cash/withdrawals",
    operationType: "withdraw",
    method: "withdraw",
    shown: "withdrawalOperation",
    token: g.cash.address,
  },
  {
    path: "/stock/deposits",
    operationType: "stock-deposit",
    method: "depositStock",
    shown: "depositOperation",
    token: g.stock.address,
  },
  {
    path: "/stock/withdrawals",
    operationType: "stock-withdraw",
    method: "withdrawStock",
    shown: "withdrawalOperation",
    token: g.stock.address,
  },
];

const input = ({ token }: Kind) => g.movement("5", token);

const calldata = (kind: Kind): Case => ({
  condition: "an amount that the user has",
  request: () => told(g.trader.post(`${kind.path}/calldata`, input(kind))),
  outcome: ok({
    toAddress: g.chain.contracts.stockRouter,
    value: "0",
    method: kind.method,
    preflight: { ok: true },
  }),
});

const withdrawsTooMuch = ({ path, token }: Kind): Case[] =>
  path.endsWith("/withdrawals") ? [overdrawn(path, token)] : [];

const send = (kind: Kind): Case => ({
  condition: "the bound user, who has approved the token",
  request: async () => {
    const { body } = await g.send(`${kind.path}/send`, input(kind));
    const txHash = g.present(body.data.txHash, "its transaction");
    const { rows } = await g.until(`${txHash} is listed`, async () => {
      const page = await g.data(g.trader.get<OperationList>(kind.path, { txHash }));
      return page.rows.length > 0 ? page : undefined;
    });
    return { body, rows };
  },
  outcome: {
    body: { code: 200, data: { status: SENT_STATUS, txHash: HASH } },
    rows: [{ mapping: { source: "send", userAddress: g.user.address, operationType: kind.operationType } }],
  },
});

const tx = (kind: Kind): Case => ({
  condition: "a self-submitted transaction, recorded twice",
  request: async () => {
    const call = await g.data(g.trader.post<Calldata>(`${kind.path}/calldata`, input(kind)));
    const txHash = await g.submit(call);
    const one = await g.data(g.trader.post<Mapping>(`${kind.path}/tx`, { txHash }));
    const two = await g.data(g.trader.post<Mapping>(`${kind.path}/tx`, { txHash }));
    return { one, same: one.mappingId === two.mappingId };
  },
  outcome: { one: { operationType: kind.operationType, txHash: HASH }, same: true },
});

const list = (kind: Kind): Case => ({
  condition: "after a movement of this key",
  request: async () => {
    const { txHash } = await g.move(kind.path, input(kind));
    return told(g.trader.get(kind.path, { txHash }));
  },
  outcome: ok({ total: 1, rows: listOf({ operationId: HASH, txHash: HASH }) }),
});

const detail = (kind: Kind): Case => ({
  condition: "a movement of this key, polled by its operationId; another key does not find it",
  request: async () => {
    const { operationId } = await g.move(kind.path, input(kind));
    await g.operationWhen(kind.path, operationId, "completed");
    const foreign = await told((await g.stranger()).get(`${kind.path}/${operationId}`));
    return { mine: await told(g.trader.get(`${kind.path}/${operationId}`)), foreign };
  },
  outcome: {
    mine: ok({
      operationStatus: "completed",
      txHash: HASH,
      [kind.shown]: { amount: "5", creditAmount: AMOUNT },
    }),
    foreign: refused(10001, "OPERATION_NOT_FOUND"),
  },
});

/** Returns a case without allowance: the API reports it and the chain reverts, until the returned approve call was sent. */
const needsApproval = (kind: Kind, spare: bigint): Case => ({
  condition: "before and after the approval",
  request: async () => {
    await g.approve(kind.token, 0n);
    const call = await g.data(g.trader.post<Calldata>(`${kind.path}/calldata`, input(kind)));
    const before = await g.tried(call, g.user.address);
    const fix = call.preflight?.checks.find(({ check }) => check === "walletAllowance")?.fix;
    if (fix) await g.submit(fix);
    const after = await g.tried(call, g.user.address);
    await g.approve(kind.token, spare);
    return { preflight: call.preflight, before, after };
  },
  outcome: { preflight: { ok: false }, before: "reverted", after: "ok" },
});

const MAX = 2n ** 256n - 1n;

/** test/vectors/spec.md, 4.3 and 4.4: cash and stock movement. */
export const movements: Cases = {
  ...Object.fromEntries(
    KINDS.flatMap((kind) => {
      const section = kind.path.startsWith("/cash") ? "4.3" : "4.4";
      return [
        [`${section} POST ${kind.path}/calldata`, [calldata(kind), ...withdrawsTooMuch(kind)]],
        [`${section} POST ${kind.path}/send`, [send(kind)]],
        [`${section} POST ${kind.path}/tx`, [tx(kind)]],
        [`${section} GET ${kind.path}`, [list(kind)]],
        [`${section} GET ${kind.path}/{operationId}`, [detail(kind)]],
      ];
    }),
  ),
  "4.3 text 1": KINDS.filter(({ path }) => path === "/cash/deposits").map((kind) => needsApproval(kind, MAX)),
  "4.4 text 1": KINDS.filter(({ path }) => path === "/stock/deposits").map((kind) =>
    needsApproval(kind, MAX),
  ),
};
