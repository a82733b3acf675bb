import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canariesOfThisProcess } from "../../support/assert/logs.ts";
import type { Bend, Partner } from "../../support/http/partner.ts";
import { type Case, type Cases, linesOf, ok, refused, told, UNAUTHORIZED } from "./case.ts";
import * as g from "./context.ts";
import { errors } from "./errors.ts";

const OK = { status: 200, code: 200 };
const HERE = ["127.0.0.1", "::1"];
const without = (name: string): Bend => ({ headers: { [name]: undefined } });
const withHeader = (name: string, value: string): Bend => ({ headers: { [name]: value } });

/** Returns a case with a defective GET /config of the trader. */
const config = (condition: string, bend: Bend, outcome: object): Case => ({
  condition,
  request: () => told(g.trader.get("/config", {}, bend)),
  outcome,
});

/** Returns a case with a GET /config of a key made for it. */
const keyed = (condition: string, options: Parameters<typeof g.partnerWith>[0], outcome: object): Case => ({
  condition,
  request: async () => told((await g.partnerWith(options)).get("/config")),
  outcome,
});

const signedAs = (change: (lines: string[]) => string): Bend => ({
  payload: (parts) => change(linesOf(parts)),
});
const withUri = (change: (uri: string) => string): Bend =>
  signedAs(([method = "", uri = "", ...rest]) => [method, change(uri), ...rest].join("\n"));

/** Returns a case with two parameters, whose order matters only to the signature. */
const listed = (condition: string, bend: Bend, outcome: object): Case => ({
  condition,
  request: () => told(g.trader.get("/orders", { limit: 1, status: "New" }, bend)),
  outcome,
});

/** Returns a case of an order's calldata whose body differs from the signed one. */
const posted = (condition: string, change: (body: object) => string, outcome: object): Case => ({
  condition,
  request: () => {
    const body = g.marketBuy();
    return told(g.trader.post("/orders/calldata", body, { sentBody: change(body) }));
  },
  outcome,
});

/** Sends a request of each method; none of them changes anything. */
const ofEachMethod = async (partner: Partner) => [
  await told(partner.get("/config")),
  await told(partner.post("/orders/calldata", g.marketBuy())),
  await told(partner.delete(`/orders/0x${"ab".repeat(32)}/calldata`)),
];

/** Returns the logs of the sandbox's programs. */
const logged = () => {
  const logs = join(g.directory, "logs");
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("\n");
};

/** test/vectors/spec.md, section 5: authentication. */
export const authentication: Cases = {
  "5 x-api-ts": [
    config("the current time", {}, OK),
    config("35 s old", { skewMs: -35_000 }, OK),
    config("46 s old", { skewMs: -46_000 }, UNAUTHORIZED),
    config("55 s ahead", { skewMs: 55_000 }, UNAUTHORIZED),
    config("seconds", withHeader("x-api-ts", String(Math.floor(Date.now() / 1000))), UNAUTHORIZED),
    config("none", without("x-api-ts"), UNAUTHORIZED),
  ],
  "5 x-api-nonce": [
    {
      condition: "one nonce in two requests",
      request: async () => {
        const nonce = randomUUID();
        return [
          await told(g.trader.get("/config", {}, { nonce })),
          await told(g.trader.get("/symbols", {}, { nonce })),
        ];
      },
      outcome: [OK, UNAUTHORIZED],
    },
    config("no UUID", { nonce: "1" }, UNAUTHORIZED),
    config("none", without("x-api-nonce"), UNAUTHORIZED),
  ],
  "5 x-api-chain-id": [
    config("none", without("x-api-chain-id"), UNAUTHORIZED),
    config("a chain that nobody serves", withHeader("x-api-chain-id", "1"), UNAUTHORIZED),
    config(
      "a chain that is not the key's",
      withHeader("x-api-chain-id", String(g.otherChain.chainId)),
      UNAUTHORIZED,
    ),
    ...(errors["7 Transaction sent on a chain different from x-api-chain-id"] ?? []),
  ],
  "5 x-api-p": [
    config("the product", withHeader("x-api-p", g.chain.productType), OK),
    config("in upper case", withHeader("x-api-p", g.chain.productType.toUpperCase()), UNAUTHORIZED),
    config("in lower case", withHeader("x-api-p", g.chain.productType.toLowerCase()), UNAUTHORIZED),
    config("none", without("x-api-p"), UNAUTHORIZED),
  ],
  "5 Signature": [
    config(
      "five lines joined by newlines",
      signedAs((lines) => lines.join("\n")),
      OK,
    ),
    config(
      "joined by backslash-n",
      signedAs((lines) => lines.join("\\n")),
      UNAUTHORIZED,
    ),
    config(
      "four lines",
      signedAs((lines) => lines.slice(0, 4).join("\n")),
      UNAUTHORIZED,
    ),
  ],
  "5 rule 1": [
    config(
      "the path",
      withUri((uri) => uri),
      OK,
    ),
    config(
      "the full URL",
      withUri((uri) => `${g.baseUrl}${uri}`),
      UNAUTHORIZED,
    ),
    config(
      "the path without its prefix",
      withUri((uri) => uri.replace("/api/v1", "")),
      UNAUTHORIZED,
    ),
  ],
  "5 rule 2": [
    listed("sent and signed sorted", {}, OK),
    listed("sent unsorted, signed sorted", { sentQuery: "status=New&limit=1" }, OK),
    listed(
      "sent and signed unsorted",
      { ...withUri(() => "/api/v1/orders?status=New&limit=1"), sentQuery: "status=New&limit=1" },
      UNAUTHORIZED,
    ),
  ],
  "5 rule 3": [
    posted("the body that is signed", (body) => JSON.stringify(body), OK),
    posted("another amount", (body) => JSON.stringify({ ...body, notional: "21" }), UNAUTHORIZED),
    posted("the same object in other spacing", (body) => JSON.stringify(body, null, 1), UNAUTHORIZED),
  ],
  "5 rule 4": [
    config("no x-api-sign", without("x-api-sign"), UNAUTHORIZED),
    config("no x-api-key", without("x-api-key"), UNAUTHORIZED),
    config("a wrong secret", { secret: "sk_wrong" }, UNAUTHORIZED),
  ],
  "5 note 1": [
    config("a key that does not exist", withHeader("x-api-key", "ak_unknown"), UNAUTHORIZED),
    keyed("an inactive key", { ips: HERE, inactive: true }, UNAUTHORIZED),
    keyed("a key without expires_at", { ips: HERE }, OK),
    keyed("expires_at in the future", { ips: HERE, expiresAt: new Date(Date.now() + 3_600_000) }, OK),
    ...(errors["7 text 1"] ?? []).filter(({ condition }) => condition === "a key that expires"),
  ],
  "5 note 2": [
    keyed("the caller's address", { ips: HERE }, OK),
    keyed("the addresses of others", { ips: ["203.0.113.7"] }, UNAUTHORIZED),
    keyed("no address", { ips: [] }, UNAUTHORIZED),
  ],
  "5 note 3": [
    {
      condition: "a READ_ONLY key",
      request: () => ofEachMethod(g.reader),
      outcome: [OK, UNAUTHORIZED, UNAUTHORIZED],
    },
    {
      condition: "a WRITABLE key",
      request: () => ofEachMethod(g.trader),
      outcome: [OK, OK, refused(10001, "ORDER_NOT_FOUND")],
    },
  ],
  "5 note 4": [
    config("another chain", withHeader("x-api-chain-id", String(g.otherChain.chainId)), UNAUTHORIZED),
    config("another product", withHeader("x-api-p", "Another"), UNAUTHORIZED),
    {
      condition: "a write by a READ_ONLY key",
      request: () => told(g.reader.post("/orders/tx", { txHash: `0x${"ab".repeat(32)}` })),
      outcome: UNAUTHORIZED,
    },
  ],
  "5 note 5": [
    {
      condition: "an order of the trader's, asked for by its key and by another",
      request: async () => {
        const { orderId } = await g.place(g.limitBuy());
        const path = `/orders/${orderId}`;
        const answers = [await told(g.trader.get(path)), await told((await g.stranger()).get(path))];
        await g.control(`${path}/cancel`);
        return { orderId, answers };
      },
      outcome: {
        answers: [ok({ mapping: { mappingStatus: "indexed" } }), refused(10001, "ORDER_NOT_FOUND")],
      },
    },
  ],
  "5 note 6": [
    {
      condition: "the logs of a request that was let in and of one that was refused",
      request: async () => {
        const uuids = [
          (await g.trader.get("/config")).body.uuid,
          (await g.trader.get("/config", {}, { skewMs: -46_000 })).body.uuid,
        ];
        const log = await g.until("both requests in the logs", () => {
          const text = logged();
          return uuids.every((uuid) => text.includes(uuid)) && text;
        });
        const secrets = [g.trader.key.apiSecret, g.user.privateKey, ...canariesOfThisProcess()];
        return {
          secrets: secrets.length > 2,
          found: secrets.filter((secret) => log.includes(secret)).length,
        };
      },
      outcome: { secrets: true, found: 0 },
    },
  ],
};
