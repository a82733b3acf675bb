import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { encodeDeployData, getAbiItem, getAddress, toFunctionSelector } from "viem";
import { z } from "zod";
import { bytecode, smartWalletAbi } from "../../packages/sandbox/src/contracts/bytecode.ts";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import { oneClickRouterAbi } from "../../src/contracts/abi/index.ts";
import { createLeakFinder } from "../support/assert/leaks.ts";
import { present, until } from "../support/assert/until.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import type { Delegation } from "../support/http/answers.ts";
import { DASHBOARD_TOKEN } from "../support/http/api.ts";
import { PRODUCT } from "../support/http/features.ts";
import { createPartner } from "../support/http/partner.ts";
import { chainClient } from "../support/sender/chain-fixture.ts";
import { enable, enableUser } from "../support/sender/sending.ts";
import { type SendingApi, startSendingApi } from "../support/sender/sending-api.ts";

let stage: SendingApi;
let proxy: NodeProxy;
beforeAll(async () => {
  stage = await startSendingApi({
    through: async (rpcUrl) => {
      proxy = await startNodeProxy(rpcUrl);
      return proxy.url;
    },
  });
});
beforeEach(() => {
  proxy.interfere = () => "pass";
});
afterAll(async () => {
  await stage?.close();
  await proxy?.stop();
});

const userAt = (index: number) => present(stage.product.users[index], "a user");

const DELEGATE = toFunctionSelector(getAbiItem({ abi: oneClickRouterAbi, name: "delegateBySig" }));
const IS_VALID = toFunctionSelector("isValidSignature(bytes32,bytes)");
const callShape = z.object({ data: z.string() });

/** Returns true where a node has to run a function, as a call or for an estimate. */
function asks(method: string, [call]: unknown[], selector: string): boolean {
  return /^eth_(call|estimateGas)$/.test(method) && callShape.parse(call).data.startsWith(selector);
}

/** Deploys a wallet contract, which signs by ERC-1271 with its owner's key. */
async function deployWallet(owner: ReturnType<typeof userAt>) {
  const data = encodeDeployData({
    abi: smartWalletAbi,
    bytecode: bytecode.SmartWallet,
    args: [owner.address],
  });
  const [receipt] = await sendAll(stage.product.client, owner, [
    { name: "wallet", to: null, data, gas: 2_000_000n },
  ]);
  return present(receipt?.contractAddress, "a wallet");
}

it("takes the signature of a wallet contract's owner (ERC-1271), and nobody else's", async () => {
  const { sending, api } = stage;
  const owner = userAt(0);
  const address = await deployWallet(owner);
  const partner = createPartner(api.url, await sending.makeKey({ userAddress: address }));
  await until("there is a wallet to send with", async () => {
    const { body } = await partner.get("/1ct/status");
    return body.code === 200 ? true : undefined;
  });
  expect((await enable(partner, address, userAt(1))).body).toMatchObject({
    code: 10002,
    errCode: "SIGNER_MISMATCH",
    param: "signature",
  });
  const enabled = await enable(partner, address, owner);
  expect(enabled.body).toMatchObject({ code: 200, data: { status: "enable" } });
  expect(await partner.must(partner.get("/1ct/status"))).toMatchObject({
    status: "enable",
    userAddress: getAddress(address),
    nonce: 1,
  });
});

it("says nothing of a wallet contract's signature where the node does not answer for it", async () => {
  const { sending, api } = stage;
  const owner = userAt(0);
  const address = await deployWallet(owner);
  const partner = createPartner(api.url, await sending.makeKey({ userAddress: address }));
  const unavailable = { code: 503, errCode: "RPC_UNAVAILABLE", retryable: true };
  for (const fault of ["cut", { code: -32_000, message: "header not found" }] as const) {
    proxy.interfere = (method, params) => (asks(method, params, IS_VALID) ? fault : "pass");
    expect((await enable(partner, address, owner)).body).toMatchObject(unavailable);
  }
  proxy.interfere = () => "pass";
  expect((await enable(partner, address, owner)).body).toMatchObject({ data: { status: "enable" } });
});

it("answers the very delegation that is in force as success, and tells a node's failure from a used nonce", async () => {
  const { sending, api } = stage;
  const owner = userAt(0);
  const address = await deployWallet(owner);
  const partner = createPartner(api.url, await sending.makeKey({ userAddress: address }));
  const { sent } = await enable(partner, address, owner);
  const again = () => partner.post("/1ct/enable", sent);
  expect((await again()).body).toMatchObject({ code: 200, data: { status: "enable", txHash: null } });
  proxy.interfere = (method, params) => (asks(method, params, IS_VALID) ? "cut" : "pass");
  expect((await again()).body).toMatchObject({ errCode: "RPC_UNAVAILABLE" });
  proxy.interfere = () => "pass";
  const other = { ...sent, signature: `0x${"11".repeat(65)}` };
  expect((await partner.post("/1ct/enable", other)).body).toMatchObject({ errCode: "DELEGATION_NONCE_USED" });
});

it("is DELEGATION_NOT_ENABLED where a disable comes while it waits for its nonce", async () => {
  const { sending, api } = stage;
  const user = userAt(2);
  const partner = createPartner(api.url, await sending.bind(user));
  const worker = await sending.pool.connect();
  try {
    // Every assignment of a nonce waits for this.
    await worker.query("BEGIN; SELECT 1 FROM app.delegatee_wallet FOR NO KEY UPDATE");
    const answer = enable(partner, user.address, user);
    await until("it waits", async () => {
      const { rowCount } = await sending.pool.query(
        "SELECT 1 FROM app.send_request WHERE user_address = $1 AND state = 'accepted'",
        [user.address.toLowerCase()],
      );
      return rowCount === 1 ? true : undefined;
    });
    expect((await partner.post("/1ct/disable", {})).body).toMatchObject({ data: { status: "disabled" } });
    expect((await answer).body).toMatchObject({ code: 10002, errCode: "DELEGATION_NOT_ENABLED" });
  } finally {
    await worker.query("ROLLBACK");
    worker.release();
  }
});

it("logs nothing of the user's signature where the node fails with it", async () => {
  const { sending, api } = stage;
  const user = userAt(1);
  const partner = createPartner(api.url, await sending.bind(user));
  const logged = api.lines.length;
  proxy.interfere = (method, params) => (asks(method, params, DELEGATE) ? "cut" : "pass");
  const { signature, body } = await enable(partner, user.address, user);
  expect(body).toMatchObject({ code: 503, errCode: "RPC_UNAVAILABLE", retryable: true });
  const lines = api.lines.slice(logged).join("");
  expect(lines).toMatch(/HTTP request failed/);
  expect(createLeakFinder([{ what: "user's signature", secret: signature }])(lines)).toEqual([]);
  expect(createLeakFinder([{ what: "part of it", secret: signature.slice(0, 66) }])(lines)).toEqual([]);
});

it("answers pending where the receipt takes longer than 20 s, and enable once it is there", async () => {
  const { sending, api, product, clock } = stage;
  const user = userAt(0);
  const partner = createPartner(api.url, await sending.bind(user));
  const chain = chainClient(product.rpcUrl);
  await chain.setAutomine(false);
  try {
    const answer = enable(partner, user.address, user);
    await until("it is broadcast", async () => {
      const { rows } = await sending.pool.query(
        "SELECT 1 FROM app.send_request WHERE user_address = $1 AND state = 'broadcast'",
        [user.address.toLowerCase()],
      );
      return rows.length === 1 ? true : undefined;
    });
    clock.aheadMs = 21_000;
    const { body } = await answer;
    expect(body).toMatchObject({ code: 200, data: { status: "pending" } });
    expect(body.data.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    clock.aheadMs = 0;
    expect(await partner.must(partner.get("/1ct/status"))).toMatchObject({ status: "pending" });
  } finally {
    clock.aheadMs = 0;
    await chain.setAutomine(true);
  }
  await chain.mine({ blocks: 1 });
  await until("it is enabled", async () => {
    const { status } = await partner.must(partner.get<Delegation>("/1ct/status"));
    return status === "enable" ? true : undefined;
  });
});

it("sendQueues shows every wallet's queue to dashboards, and to no API key", async () => {
  const { sending, api, product } = stage;
  await enableUser(sending, api.url, userAt(1));
  const ask = (query: string) =>
    fetch(`${api.operatorUrl}/graphql`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${DASHBOARD_TOKEN}`,
        "x-api-chain-id": String(product.deployment.chainId),
        "x-api-p": PRODUCT,
      },
      body: JSON.stringify({ query }),
    }).then((response) => response.json());
  const { data, errors } = await ask(
    "{ sendQueues { chainId wallet state nextNonce balanceWei chainNonce depth oldestSeconds failures } }",
  );
  expect(errors).toBeUndefined();
  expect(data.sendQueues).toHaveLength(1);
  const [queue] = data.sendQueues;
  expect(queue.wallet.toLowerCase()).toBe(sending.wallets[0]);
  expect(queue).toMatchObject({
    chainId: product.deployment.chainId,
    state: "active",
    nextNonce: expect.any(Number),
    depth: { accepted: 0, signed: 0, broadcast: 0 },
    oldestSeconds: null,
    failures: {},
  });
  expect(BigInt(queue.balanceWei)).toBeGreaterThan(0n);
});
