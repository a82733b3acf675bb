import { Wallet } from "ethers";
import { type Cases, HASH, NUMBER, ok, refused, told } from "./case.ts";
import * as g from "./context.ts";

export const wrongSigner = async () => {
  const body = await g.signed(await g.prepare(), Wallet.createRandom());
  return told(g.trader.post("/1ct/enable", body));
};
export const lateSignature = async () => {
  const body = await g.signed(await g.prepare());
  return told(g.trader.post("/1ct/enable", { ...body, deadline: g.past() }));
};
export const unapprovedDeposit = async () => {
  await g.approve(g.cash.address, 0n);
  const { userAddress: _bound, ...input } = g.movement("5");
  const { status, body } = await g.send("/cash/deposits/send", input);
  await g.approve(g.cash.address, 2n ** 256n - 1n);
  return { status, ...body };
};
export const unboundSend = async () => told((await g.stranger()).post("/orders/send", g.marketBuy()));
export const disabledSend = async () => {
  await g.data(g.trader.post("/1ct/disable"));
  return told(g.trader.post("/orders/send", g.marketBuy()));
};

const EXPIRED = refused(10000, "DEADLINE_EXPIRED", { errMsg: "deadline expired", param: "deadline" });

/** test/vectors/spec.md, 4.5: one click. */
export const oneClick: Cases = {
  "4.5 GET /1ct/status": [
    {
      condition: "a bound user with delegation enabled",
      request: async () => {
        await g.send("/orders/send", g.marketBuy());
        return told(g.trader.get("/1ct/status"));
      },
      outcome: ok({ status: "enable", userAddress: g.user.address, nonce: NUMBER }),
    },
  ],
  "4.5 POST /1ct/prepare": [
    {
      condition: "the bound user and a deadline",
      request: () => told(g.trader.post("/1ct/prepare", { userAddress: g.user.address, deadline: g.soon() })),
      outcome: ok({
        signPayload: { primaryType: "Delegate", message: { user: g.user.address } },
        typedData: { primaryType: "Delegate", message: { user: g.user.address } },
      }),
    },
  ],
  "4.5 POST /1ct/enable": [
    { condition: "the signed payload", request: () => told(g.enable()), outcome: ok({ status: "enable" }) },
  ],
  "4.5 POST /1ct/disable": [
    {
      condition: "nothing beyond auth; then a send",
      request: async () => {
        const answer = await told(g.trader.post("/1ct/disable"));
        return { answer, send: await told(g.trader.post("/orders/send", g.marketBuy())) };
      },
      outcome: { answer: ok({ status: "disabled" }), send: refused(10002, "DELEGATION_NOT_ENABLED") },
    },
  ],
  "4.5 rule 1": [
    {
      condition: "a signature by another wallet",
      request: wrongSigner,
      outcome: refused(10002, "SIGNER_MISMATCH"),
    },
  ],
  "4.5 rule 2": [
    { condition: "a past deadline on enable", request: lateSignature, outcome: EXPIRED },
    {
      condition: "a past deadline on prepare",
      request: () => told(g.trader.post("/1ct/prepare", { userAddress: g.user.address, deadline: g.past() })),
      outcome: EXPIRED,
    },
    { condition: "a fresh payload", request: () => told(g.enable()), outcome: ok({ status: "enable" }) },
  ],
  "4.5 rule 3": [
    { condition: "a key without a user", request: unboundSend, outcome: refused(10002, "USER_NOT_BOUND") },
  ],
  "4.5 rule 4": [
    {
      condition: "the bound user has not approved the token",
      request: unapprovedDeposit,
      outcome: refused(10002, "ALLOWANCE_INSUFFICIENT"),
    },
  ],
  "4.5 rule 5": [
    {
      condition: "a sufficient gasLimit, and one that no router call can live on",
      request: async () => ({
        enough: (await g.send("/orders/send", { ...g.marketBuy(), gasLimit: 1_500_000 })).body,
        little: (await g.send("/orders/send", { ...g.marketBuy(), gasLimit: 21_000 })).body,
      }),
      outcome: {
        enough: { code: 200, data: { txHash: HASH } },
        little: { code: 10000, errCode: "VALIDATION_FAILED", param: "gasLimit" },
      },
    },
  ],
  "4.5 text 1": [
    {
      condition: "a field that no endpoint names, a page that no list has",
      request: async () => [
        await told(g.trader.post("/orders/tx", { txHash: `0x${"ab".repeat(32)}`, hash: "x" })),
        await told(g.trader.get("/orders", { pages: 1 })),
      ],
      outcome: [
        refused(10000, "VALIDATION_FAILED", { param: "hash" }),
        refused(10000, "VALIDATION_FAILED", { param: "pages" }),
      ],
    },
  ],
};
