import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { JsonRpcProvider, NonceManager, Wallet } from "ethers";
import { present, until } from "../support/assert/until.ts";
import type { Calldata, Mapping, Price, Send } from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { makeSandboxKey } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { submitCall } from "../support/sender/submit.ts";
import { type Receiver, startReceiver } from "../webhooks/receiver.ts";

/**
 * Scripts by which docs/SANDBOX.md brings about events that no state of an order or operation is: each is followed, and the
 * event is waited for in the log of the key that it is about.
 */
const state = readSandboxState();
const chain = present(state.chains[0], "a chain");
const user = present(state.users[1], "a second user");
const stock = present(chain.stockTokens[0], "a stock token");
const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
  staticNetwork: true,
  pollingInterval: 50,
});
const wallet = new NonceManager(new Wallet(user.privateKey, provider));
const control = createControl(state.controlUrl);
const { chainId } = chain;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const order = (deadline = inSeconds(600)) => ({
  stockAddress: stock.address,
  side: "Buy",
  type: "Market",
  notional: "10",
  deadline,
});

/** A stock token that nobody else trades. */
const dividing = present(chain.stockTokens.at(-1), "a stock token");
let dividingSymbol: string;
const split = (oldRate: string, newRate: string) =>
  control.post("/corporate-action", { symbol: dividingSymbol, type: "split", oldRate, newRate });

let partner: Partner;
let unbound: Partner;
let receiver: Receiver;
beforeAll(async () => {
  [partner, unbound] = [
    createPartner(state.baseUrl, await makeSandboxKey(chain, { userAddress: user.address })),
    createPartner(state.baseUrl, await makeSandboxKey(chain)),
  ];
  receiver = await startReceiver();
  const { basicInfo } = await partner.must(partner.get<Price>(`/prices/${dividing.address}`));
  dividingSymbol = basicInfo.symbol;
  await split("1", "2");
});
afterEach(() => control.post("/mining", { chainId, on: true }));
afterAll(async () => {
  if (dividingSymbol) await split("2", "1");
  provider.destroy();
  await receiver?.close();
});

interface Told {
  type: string;
  data: Record<string, unknown>;
}

/** Waits for an event of a key's log, oldest first. */
const told = (of: Partner, type: string, matches: (data: Told["data"]) => boolean = () => true) =>
  until(`${type} is told`, async () => {
    const { rows } = await of.must(of.get<{ rows: Told[] }>("/events", { types: type, limit: 100 }));
    return rows.find(({ data }) => matches(data));
  });

it("a delegation that is enabled, and one that is disabled", async () => {
  await ensureDelegation(partner, state);
  expect((await told(partner, "delegation.enabled")).data).toMatchObject({ status: "enable" });
  await partner.must(partner.post("/1ct/disable", {}));
  expect((await told(partner, "delegation.disabled")).data).toMatchObject({ userAddress: user.address });
});

it("a request to send that is submitted, then confirmed", async () => {
  await ensureDelegation(partner, state);
  await control.post("/mining", { chainId, on: false });
  const { requestId } = await partner.must(partner.post<Send>("/orders/send", order()));
  const isIt = (data: Told["data"]) => data.requestId === requestId;
  expect((await told(partner, "send.submitted", isIt)).data).toMatchObject({ final: false });
  await control.post("/mining", { chainId, on: true });
  expect((await told(partner, "send.confirmed", isIt)).data).toMatchObject({ status: "confirmed" });
});

it("a request to send that fails: its deadline passes while nothing is mined", async () => {
  await control.post("/mining", { chainId, on: false });
  const deadline = inSeconds(3);
  const { requestId } = await partner.must(partner.post<Send>("/orders/send", order(deadline)));
  await until("the deadline has passed", () => inSeconds(0) > deadline || undefined);
  await control.post("/mining", { chainId, on: true });
  await control.finalize(chainId);
  const { data } = await told(partner, "send.failed", (of) => of.requestId === requestId);
  expect(data).toMatchObject({ status: "failed", final: true });
  // The block may have the call, which reverts, or what replaced it once the deadline had passed.
  expect(["CHAIN_REVERT", "DEADLINE_EXPIRED"]).toContain(data.errCode);
});

it("a mapping that a key loses to the one that is bound to the order's user", async () => {
  const { toAddress, callData } = await partner.must(partner.post<Calldata>("/orders/calldata", order()));
  const cbor = Number.parseInt(callData.slice(-38, -34), 16);
  const bare = callData.slice(0, -2 * (cbor + 2 + 1 + 16));
  const txHash = await submitCall(wallet, { toAddress, callData: bare });
  const first = await unbound.must(unbound.post<Mapping>("/orders/tx", { txHash }));
  await told(unbound, "order.*");
  await partner.must(partner.post("/orders/tx", { txHash }));
  expect((await told(unbound, "mapping.removed")).data).toMatchObject({ mappingId: first.mappingId, txHash });
});

it("a webhook whose receiver answers 410", async () => {
  receiver.answer = (_request, response) => void response.writeHead(410).end();
  const { webhook } = await partner.must(
    partner.post<{ webhook: { webhookId: string } }>("/webhooks", {
      url: receiver.url,
      types: "order.mapped",
    }),
  );
  await partner.must(partner.post("/orders/tx", { txHash: `0x${"ab".repeat(32)}` }));
  const { data } = await told(partner, "webhook.disabled");
  expect(data).toMatchObject({ webhookId: webhook.webhookId, status: "disabled", disabledReason: "gone" });
  await partner.must(partner.delete(`/webhooks/${webhook.webhookId}`));
});

it("a corporate action", async () => {
  const { data } = await told(partner, "corporate_action.applied");
  expect(data).toMatchObject({ stockToken: dividing.address, symbol: dividingSymbol });
});
