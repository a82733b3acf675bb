import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { encryptKeystoreJsonSync, Wallet } from "ethers";
import type { Hex } from "viem";
import { canary } from "../../../test/support/assert/logs.ts";
import { present, until } from "../../../test/support/assert/until.ts";
import { createWallet } from "../../../test/support/db/builders/sends.ts";
import type { Send } from "../../../test/support/http/answers.ts";
import { lower } from "../../../test/support/http/features.ts";
import type { Partner } from "../../../test/support/http/partner.ts";
import { operate } from "../../../test/support/program/command.ts";
import { enableUser, marketBuy, withKey } from "../../../test/support/sender/sending.ts";
import { type SendingApi, startSendingApi } from "../../../test/support/sender/sending-api.ts";

/** An operator's limits on a key, from the command line to the refusal; the wallet's key is an encrypted file. */
let stage: SendingApi;
let partner: Partner;
const directory = mkdtempSync(join(tmpdir(), "partner-keystore-"));
const wallet = Wallet.createRandom();

beforeAll(async () => {
  const password = canary("key file's password", "correct horse battery staple");
  canary("wallet key", wallet.privateKey);
  // With a cheap key derivation: the usual one takes seconds, to encrypt and to decrypt.
  const { address, privateKey } = wallet;
  const encrypted = encryptKeystoreJsonSync({ address, privateKey }, password, { scrypt: { N: 2 ** 10 } });
  writeFileSync(join(directory, "key.json"), encrypted);
  writeFileSync(join(directory, "password"), `${password}\n`);
  stage = await startSendingApi({ sender: wallet.address.toLowerCase() as Hex }, ({ env }) => ({
    ...env,
    SENDER_KEYSTORES: join(directory, "key.json"),
    SENDER_KEYSTORE_PASSWORD_FILE: join(directory, "password"),
  }));
  partner = await enableUser(stage.sending, stage.api.url, present(stage.product.users[0], "a user"));
});
afterAll(async () => {
  await stage?.close();
  rmSync(directory, { recursive: true, force: true });
});

const policies = (...args: string[]) => operate(["policies", ...args], stage.sending.env);

async function set(...args: string[]): Promise<string> {
  const { code, out, err } = await policies("set", partner.key.apiKey, ...args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

const buy = (notional = "10") => partner.post<Send>("/orders/send", marketBuy(stage.sending, notional));
const refused = (param: string) => ({ code: 10002, errCode: "POLICY_REFUSED", param, data: null });
const deposit = () => {
  const [token] = stage.product.deployment.cashTokens;
  return partner.post("/cash/deposits/send", { tokenAddress: token?.address, tokenAmount: "5" });
};

it("a key without a policy has no limits, and is sent for by the wallet of the encrypted file", async () => {
  const order = marketBuy(stage.sending, "10");
  const txHash = await until("it is sent", async () => {
    const sent = await partner.must(partner.post<Send>("/orders/send", order, withKey("first")));
    return sent.txHash ?? undefined;
  });
  const transaction = await stage.product.client.getTransaction({ hash: lower(txHash) });
  expect(transaction.from).toBe(wallet.address.toLowerCase());
});

it("daily notional: refuses the order that goes above it, alone and beside others at once", async () => {
  // 10 mUSD were spent above.
  expect(await set("--daily-notional", "40")).toContain("daily notional  40 mUSD");
  expect((await buy("30.000000000000000001")).body).toMatchObject(refused("dailyNotionalCap"));
  const answers = await Promise.all([buy("20"), buy("20"), buy("20")]);
  expect(answers.map(({ body }) => body.code).sort()).toEqual([10002, 10002, 200].sort());
  expect((await deposit()).body).toMatchObject({ code: 200, errMsg: "" });
  await set("--daily-notional", "none");
  expect((await buy("20")).body).toMatchObject({ code: 200, errMsg: "" });
});

it("daily notional: counts the day as it is set, so that what it refuses is not summed up again", async () => {
  const { pool } = stage.sending;
  const setBelow = () => set("--daily-notional", "1");
  const counted = async () => {
    const { rows } = await pool.query<{ counted: string | null }>("SELECT counted::text FROM app.key_policy");
    return rows[0]?.counted;
  };
  const before = await counted();
  await pool.query("UPDATE app.key_policy SET counted = NULL, counted_day = NULL");
  await setBelow();
  expect(await counted()).toBe(before);
  await setBelow();
  expect((await buy("1")).body).toMatchObject(refused("dailyNotionalCap"));
  expect(await counted()).toBe(before);
  await set("--daily-notional", "none");
});

it("symbols: refuses every other stock", async () => {
  const [first, second] = stage.product.deployment.stockTokens;
  const listed = present(first, "a stock").stockSymbol;
  await set("--symbols", present(second, "another stock").stockSymbol);
  expect((await buy()).body).toMatchObject(refused("allowedSymbols"));
  expect(await set("--symbols", listed)).toContain(`symbols         ${listed}`);
  expect((await buy()).body).toMatchObject({ code: 200, errMsg: "" });
  expect(await set("--symbols", ` ${listed.toLowerCase()} `)).toContain(`symbols         ${listed}\n`);
  expect((await buy()).body).toMatchObject({ code: 200, errMsg: "" });
  await set("--symbols", "all");
});

it("operations: refuses every other endpoint", async () => {
  await set("--operations", "orders/send,orders/cancel");
  expect((await deposit()).body).toMatchObject(refused("allowedOperations"));
  expect((await buy()).body).toMatchObject({ code: 200, errMsg: "" });
  expect(await policies("set", partner.key.apiKey, "--operations", "orders/steal")).toMatchObject({
    code: 2,
    err: expect.stringContaining("no such operation: orders/steal"),
  });
  await set("--operations", "all");
  expect((await deposit()).body).toMatchObject({ code: 200, errMsg: "" });
});

it.each(["--symbols", "--operations"])("%s: an empty list is a mistake, not all", async (option) => {
  const before = await policies("show", partner.key.apiKey);
  for (const empty of ["", " , "]) {
    expect(await policies("set", partner.key.apiKey, option, empty)).toMatchObject({
      code: 2,
      err: "error: the list is empty: name some, or all\n",
    });
  }
  expect(await policies("show", partner.key.apiKey)).toEqual(before);
});

it("needs the database's URL and nothing else", async () => {
  const { DEPLOYMENTS_FILE: _file, MASTER_KEYS: _keys, ...env } = stage.sending.env;
  const { code, out } = await operate(["policies", "show", partner.key.apiKey], env);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("kill switch") });
  const wallets = await operate(["wallets", "list"], env);
  expect(wallets).toMatchObject({ code: 0, out: expect.stringContaining(wallet.address) });
});

it("expiry: refuses from that time on", async () => {
  await set("--expires", new Date(Date.now() + 3_600_000).toISOString());
  expect((await buy()).body).toMatchObject({ code: 200, errMsg: "" });
  await set("--expires", "2020-01-31T00:00:00Z");
  expect((await buy()).body).toMatchObject(refused("expiry"));
  await set("--expires", "never");
});

it("kill switch: refuses everything but the answers to what was sent, and a disable", async () => {
  const key = { headers: { "idempotency-key": randomUUID() } };
  const body = marketBuy(stage.sending, "11");
  const before = await partner.post<Send>("/orders/send", body, key);
  expect(before.body).toMatchObject({ code: 200, errMsg: "" });
  expect(await set("--kill")).toContain("kill switch     on");
  expect((await buy()).body).toMatchObject(refused("killSwitch"));
  expect((await deposit()).body).toMatchObject(refused("killSwitch"));
  const again = await partner.post<Send>("/orders/send", body, key);
  expect(again.body.data.requestId).toBe(before.body.data.requestId);
  expect((await partner.post("/1ct/disable", {})).body).toMatchObject({ data: { status: "disabled" } });
  await set("--no-kill");
});

it("every change is in the audit log, and a key that is not there is said so", async () => {
  const { rows } = await stage.sending.pool.query(
    "SELECT detail FROM app.audit_entry WHERE subject = $1 AND action = 'policies set' ORDER BY audit_id",
    [partner.key.apiKey],
  );
  expect(rows[0]?.detail).toEqual({ daily_notional_cap: "40000000000000000000" });
  expect(rows.at(-1)?.detail).toEqual({ killed: false });
  expect(await policies("set", "pk_nobody", "--kill")).toMatchObject({
    code: 1,
    err: "error: there is no key pk_nobody\n",
  });
});

it("retires the wallet: its users are disabled, and their next prepare names another one", async () => {
  const user = present(stage.product.users[0], "a user");
  const again = await enableUser(stage.sending, stage.api.url, user);
  const { chainId } = stage.product.deployment;
  const retire = (...args: string[]) =>
    operate(["wallets", "retire", String(chainId), wallet.address, ...args], stage.sending.env);
  expect(await retire()).toMatchObject({ code: 1, err: expect.stringContaining("Give --yes") });
  expect((await again.post<Send>("/orders/send", marketBuy(stage.sending, "10"))).body).toMatchObject({
    code: 200,
    errMsg: "",
  });
  expect(await retire("--yes")).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${wallet.address} is retired; 1 users were disabled now`),
    err: expect.stringContaining("takes users: add a key to SENDER_KEYS"),
  });
  expect(await retire("--yes")).toMatchObject({
    code: 0,
    out: expect.stringContaining("was retired before; 0 users"),
  });
  const { body } = await again.post("/orders/send", marketBuy(stage.sending, "10"));
  expect(body).toMatchObject({ errCode: "DELEGATION_NOT_ENABLED" });
  expect(await again.get("/1ct/status")).toMatchObject({ body: { data: { status: "disabled" } } });
  const deadline = Math.floor(Date.now() / 1_000) + 3_600;
  const prepare = () =>
    again.post<{ delegatee: string }>("/1ct/prepare", { userAddress: user.address, deadline });
  expect((await prepare()).body).toMatchObject({ errCode: "OPERATOR_UNAVAILABLE" });
  const other = Wallet.createRandom().address;
  await createWallet(stage.sending.pool, other.toLowerCase() as Hex, { chainIds: [chainId] });
  expect((await prepare()).body).toMatchObject({ data: { delegatee: other } });
  expect((await prepare()).body).toMatchObject({ data: { delegatee: other } });
  const { rows } = await stage.sending.pool.query(
    "SELECT delegatee, blocked FROM app.delegation WHERE delegatee = $1",
    [other.toLowerCase()],
  );
  expect(rows).toEqual([{ delegatee: other.toLowerCase(), blocked: true }]);
  expect((await operate(["wallets", "list"], stage.sending.env)).out).toMatch(
    new RegExp(`${wallet.address} +retired, active`),
  );
  expect(
    await operate(
      ["wallets", "retire", String(chainId), Wallet.createRandom().address, "--yes"],
      stage.sending.env,
    ),
  ).toMatchObject({
    code: 1,
    err: expect.stringContaining("has no wallet"),
  });
});
