import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import type pg from "pg";
import { getAddress } from "viem";
import { NotYetError, present, until } from "../support/assert/until.ts";
import { openPool } from "../support/db/pool.ts";
import type { Calldata } from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner } from "../support/http/partner.ts";
import { operate } from "../support/program/command.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** Command of the operator on the running sandbox, which it finds by SANDBOX_DIR alone. */
const state = readSandboxState();
const directory = dirname(process.env.E2E_STATE_FILE ?? "");
const secrets = JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8"));
const chainId = present(state.chains[0], "a chain").chainId;
const run = (...args: string[]) => operate(args, { SANDBOX_DIR: directory });
const FOUND = `DATABASE_URL is not set: this uses the sandbox in ${directory}.\n`;

it("finds the sandbox, has all rights that it needs there, and shows no secret of it", async () => {
  const shows = [
    ["keys", "list"],
    ["wallets", "list"],
    ["webhooks", "list"],
    ["projection", "show"],
    ["queue"],
    ["events", "list", "--limit", "5"],
    ["sending", "status"],
    ["indexer", "status"],
  ];
  for (const args of shows) {
    const { code, out, err } = await run(...args, "--json");
    expect({ args, code, err }).toEqual({ args, code: 0, err: FOUND });
    const shown: unknown = JSON.parse(out);
    expect({ args, shown, isList: Array.isArray(shown) }).toEqual({ args, shown, isList: true });
    const hidden = [
      secrets.masterKeys,
      secrets.webhookKeys,
      secrets.attributionKeys,
      secrets.dashboardToken,
      ...Object.values(secrets.databasePasswords),
      ...state.keys.map(({ apiSecret }) => apiSecret),
    ];
    for (const secret of hidden) expect(out + err).not.toContain(secret);
  }
});

it("has the rows that keys see compared, and finds no difference", async () => {
  const rebuilt = await run("projection", "rebuild");
  expect({ code: rebuilt.code, err: rebuilt.err }).toEqual({ code: 0, err: FOUND });
  const { code, out } = await run("projection", "check", "--json");
  expect({ code, report: JSON.parse(out) }).toMatchObject({
    code: 0,
    report: { differences: [], behind: [], chains: state.chains.map(({ chainId }) => chainId) },
  });
});

it("shows how far the index is", async () => {
  const [build] = JSON.parse((await run("indexer", "status", "--json")).out);
  expect(build).toMatchObject({ inUse: true, ready: true, runs: true, drop: null, unusable: null });
  expect(build.schema).toMatch(/^onchain_31337_[0-9a-f]{10}$/);
  const chain = build.chains.find((each: { chainId: number }) => each.chainId === chainId);
  const isIndexed = chain.lagBlocks < 60 && Number(chain.indexedBlock) > 0;
  expect({ ...chain, isIndexed }).toEqual({ ...chain, isIndexed: true });
});

/** Connects with the role of one of the programs. */
function connectAs(program: "indexer" | "worker" | "api" | "owner"): pg.Pool {
  const url = new URL(state.databaseUrl);
  url.username = `partner_${program}`;
  url.password = secrets.databasePasswords[program];
  return openPool({ connectionString: url.href, max: 1 });
}

it("may halt and resume a chain there: the dashboard and /readyz show it meanwhile", async () => {
  const other = present(state.chains.at(-1), "a chain").chainId;
  const halted = await run("sending", "halt", "--chain", String(other), "--reason", "a drill");
  try {
    expect({ code: halted.code, err: halted.err }).toEqual({ code: 0, err: FOUND });
    const readiness = async () => (await fetch(new URL("/readyz", state.operatorUrl))).json();
    const name = `sending on chain ${other} (halted by an operator)`;
    await until("readiness shows it", async () => (await readiness()).degraded?.includes(name) || undefined);
    const response = await fetch(state.graphqlUrl, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${state.dashboardToken}` },
      body: JSON.stringify({ query: "{ dashboard { chains { chainId sendingHalted sendingHaltReason } } }" }),
    });
    const { data } = await response.json();
    expect(data.dashboard.chains).toEqual(
      state.chains.map(({ chainId: each }) => ({
        chainId: each,
        sendingHalted: each === other,
        sendingHaltReason: each === other ? "a drill" : null,
      })),
    );
  } finally {
    expect(await run("sending", "resume", "--chain", String(other))).toMatchObject({ code: 0 });
  }
});

it("may retire a wallet there", async () => {
  const [worker, api, owner] = [connectAs("worker"), connectAs("api"), connectAs("owner")];
  const wallet = `0x${randomBytes(20).toString("hex")}`;
  const user = `0x${randomBytes(20).toString("hex")}`;
  try {
    await worker.query("INSERT INTO app.delegatee_wallet (chain_id, address) VALUES ($1, $2)", [
      chainId,
      wallet,
    ]);
    await api.query(
      "INSERT INTO app.delegation (chain_id, product_type, user_address, delegatee) VALUES ($1, 'Sandbox', $2, $3)",
      [chainId, user, wallet],
    );
    expect(await run("wallets", "retire", String(chainId), wallet, "--yes")).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${getAddress(wallet)} is retired; 1 users were disabled now\n`),
    });
    const { rows } = await api.query("SELECT blocked, epoch FROM app.delegation WHERE user_address = $1", [
      user,
    ]);
    expect(rows).toEqual([{ blocked: true, epoch: 1 }]);
  } finally {
    await owner.query("DELETE FROM app.delegation WHERE delegatee = $1", [wallet]);
    await owner.query("DELETE FROM app.delegatee_wallet WHERE address = $1", [wallet]);
    await Promise.all([worker, api, owner].map((pool) => pool.end()));
  }
});

describe("reconcile", () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = connectAs("indexer");
  });
  afterAll(() => pool?.end());

  /** Tries again where the command says so: another file's reorg may have come between. */
  const reconcile = (...args: string[]) =>
    until("reconcile compares", async () => {
      const { code, out, err } = await run("reconcile", "--chain", String(chainId), "--json", ...args);
      if (out === "" && err.includes("try again")) throw new NotYetError(err);
      if (out === "") throw new Error(`reconcile said: ${err}`);
      return { code, err, report: JSON.parse(out) };
    });

  async function changeBalance(assignment: string, user: string): Promise<void> {
    const client = await pool.connect();
    try {
      // The indexer's triggers expect a table of its sessions.
      await client.query("CREATE TEMP TABLE IF NOT EXISTS live_query_tables (table_name text PRIMARY KEY)");
      // A view over several chains is not one to write to.
      const { rows } = await client.query(
        "SELECT n.oid::regnamespace AS schema FROM pg_namespace n WHERE starts_with(n.nspname, $1)",
        [`onchain_${chainId}_`],
      );
      const where = "WHERE user_address = $1";
      await client.query(`UPDATE ${rows[0]?.schema}.cash_balance SET ${assignment} ${where}`, [user]);
    } finally {
      client.release();
    }
  }

  /** Changes what the index shows, as nobody may, and takes that back. */
  async function withChange(assignment: string, undo: string, user: string, work: () => Promise<void>) {
    await changeBalance(assignment, user);
    try {
      await work();
    } finally {
      await changeBalance(undo, user);
    }
  }

  /** Makes transactions to compare with receipts: a request that is sent, and a deposit of its user with the key's suffix. */
  async function makeTransactions(): Promise<void> {
    const key = present(
      state.keys.find((each) => each.access === "WRITABLE" && each.userAddress && each.chainId === chainId),
      "a bound key",
    );
    const partner = createPartner(state.baseUrl, key);
    await ensureDelegation(partner, state);
    const user = present(
      state.users.find(({ address }) => address.toLowerCase() === key.userAddress?.toLowerCase()),
      "the bound user",
    );
    const chain = present(
      state.chains.find((one) => one.chainId === chainId),
      "its chain",
    );
    const tokenAddress = present(chain.cashTokens[0], "a cash token").address;
    const input = { tokenAddress, tokenAmount: "2", userAddress: user.address };
    const call = await partner.must(partner.post<Calldata>("/cash/deposits/calldata", input));
    const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 50 };
    const provider = new JsonRpcProvider(chain.rpcUrl, chainId, options);
    const wallet = new Wallet(user.privateKey, provider);
    const sent = await wallet.sendTransaction({
      to: call.toAddress,
      data: call.callData,
      gasLimit: 1_500_000n,
    });
    await sent.wait();
    provider.destroy();
    await createControl(state.controlUrl).finalize(chainId);
  }

  it("finds no difference between the API and the chain", async () => {
    await makeTransactions();
    const { code, err, report } = await until("the deposit is final", async () => {
      const found = await reconcile();
      return found.report.compared.attribution > 0 ? found : undefined;
    });
    expect({ code, ...report }).toMatchObject({ code: 0, chainId, differenceCount: 0, differences: [] });
    expect(err).toContain(`Comparing chain ${chainId} at block ${report.blockNumber}.`);
    const { "cash-balance": cash, "stock-balance": stock } = report.compared;
    expect({ cash, stock, areCompared: cash > 3 && stock > 8 }).toEqual({ cash, stock, areCompared: true });
    for (const kind of ["wallet", "claim", "attribution", "send"])
      expect({ kind, isCompared: report.compared[kind] > 0 }).toEqual({ kind, isCompared: true });
    expect(report).toMatchObject({ unverified: 0 });
  });

  it("names a row that was changed behind the indexer, and what to do", async () => {
    const user = present(state.users.at(-1), "a user").address.toLowerCase();
    await withChange("available = available + 1", "available = available - 1", user, async () => {
      const { code, report } = await reconcile();
      expect(report).toMatchObject({ differenceCount: 1 });
      expect({ exitCode: code }).toEqual({ exitCode: 1 });
      expect(report.differences).toEqual([
        {
          kind: "cash-balance",
          productType: present(state.chains[0], "a chain").productType,
          object: getAddress(user),
          field: "available",
          ours: String(BigInt(report.differences[0].chain) + 1n),
          chain: expect.stringMatching(/^\d+$/),
          likelyCause: expect.stringContaining("changed outside the indexer"),
          whatToDo: expect.stringContaining("indexer status"),
          explanation: expect.stringMatching(
            /^cash-balance 0x.* is .* here and .* on the chain, probably because /,
          ),
        },
      ]);
      const { out } = await run("reconcile", "--chain", String(chainId));
      expect(out).toContain(`cash-balance ${getAddress(user)}`);
      expect(out).toMatch(/1 difference\n$/);
    });
    const { code, report } = await reconcile();
    expect({ code, differences: report.differences }).toEqual({ code: 0, differences: [] });
  });

  it("refuses a block that is not there to be compared, and a chain that is not served", async () => {
    for (const [args, message] of [
      [["--chain", String(chainId), "--block", "999999999"], "is not indexed yet"],
      [["--chain", String(chainId), "--block", "0"], "is before the contracts"],
      [["--chain", "4242"], "is not in the deployments file: it has"],
    ] as const)
      expect(await run("reconcile", ...args)).toMatchObject({
        code: 1,
        err: expect.stringContaining(message),
      });
  });
});
