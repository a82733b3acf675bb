import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import pg from "pg";
import { generatePrivateKey } from "viem/accounts";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { ROOT } from "../../src/config/root.ts";
import { createRoles, ROLES } from "../../src/db/roles.ts";
import { createLocalSigner } from "../../src/sending/signer/signer.ts";
import { canary } from "../support/assert/logs.ts";
import { LONG } from "../support/assert/long.ts";
import { present, until } from "../support/assert/until.ts";
import { type Product, startProduct } from "../support/chain/product.ts";
import { type PostgresServer, startPostgres } from "../support/db/postgres.ts";
import { makeEnvOf, type TestEnv } from "../support/http/api.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { shellBlocksOf } from "../support/program/markdown.ts";
import { POSTGRESQL } from "../support/program/parts.mjs";

/**
 * docs/operations/upgrade.md and restore.md, followed by typing their commands, in the order of the page: against a real PostgreSQL of
 * Debian's, whose pg_dump is of its version, a chain, and this checkout's programs, each with the role of its own.
 */
jest.setTimeout(900_000);
const UPGRADE = shellBlocksOf("docs/operations/upgrade.md");
const RESTORE = shellBlocksOf("docs/operations/restore.md");

/** Whose environment the lines of a block are typed in, by how they begin. */
const ROLE_OF: [RegExp, keyof typeof ROLES][] = [
  [/^(DATABASE_URL="\$OWNER_URL" )?npm run db:migrate|^pg_(dump|restore) /, "owner"],
  [/^npm run indexer$/, "indexer"],
  [/^npm run api$/, "api"],
  [/^npm run worker$/, "worker"],
  [/^npm run deliverer$/, "deliverer"],
  [/^npx partner-trading-admin |^curl |^until curl /, "operator"],
];
const rolesOf = (block: string) =>
  block.split("\n").map((line) => ROLE_OF.find(([pattern]) => pattern.test(line))?.[1]);

describe.each([
  ["upgrade.md", UPGRADE],
  ["restore.md", RESTORE],
])("the commands of %s", (_page, blocks) => {
  it("are all known here, and each block is of one role", () => {
    expect(blocks.length).toBeGreaterThan(4);
    for (const block of blocks) {
      const roles = rolesOf(block).filter((role) => role !== "operator" || !block.includes("pg_dump"));
      expect({ block, roles: new Set(roles).size }).toEqual({ block, roles: 1 });
      expect({ block, role: roles[0] }).not.toEqual({ block, role: undefined });
    }
  });
});

if (LONG) describeWhere("postgresql", "typed as they stand", () => typed());

function typed(): void {
  let server: PostgresServer;
  let product: Product;
  let env: TestEnv;
  let directory: string;
  let databaseUrl: string;
  let typedBlocks = 0;
  const signer = canary("wallet key", generatePrivateKey());
  const wallet = createLocalSigner(signer).address;
  const running = new Map<string, ReturnType<typeof spawn>>();
  const urls: Record<string, string> = {};

  beforeAll(async () => {
    server = await startPostgres({ programs: present(POSTGRESQL, "PostgreSQL") });
    product = await startProduct({ users: 1 });
    directory = mkdtempSync(join(tmpdir(), "partner-pages-"));
    const { chainId, startBlock, stockRouter, cashier, stock, oneClickRouter } = product.deployment;
    const contracts = { stockRouter, cashier, stock, oneClickRouter };
    const products = [{ productType: "Sandbox", startBlock, contracts }];
    const chains = [{ chainId, rpcUrls: [product.rpcUrl], ephemeral: true, confirmations: 2, products }];
    databaseUrl = await makeDatabase("trading");
    env = makeEnvOf(databaseUrl, { chains }, { SENDER_KEYS: signer });
    for (const name of ["API", "NEW_API", "NEW_WORKER", "NEW_DELIVERER", "NEW_INDEXER"])
      urls[name] = `http://127.0.0.1:${await freePort()}`;
  });
  afterAll(async () => {
    for (const name of [...running.keys()]) await stop(name);
    await env?.dispose();
    await product?.stop();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function query(url: string, statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }

  async function makeDatabase(name: string): Promise<string> {
    await query(server.adminUrl, `CREATE DATABASE ${name}`);
    const url = new URL(server.adminUrl);
    url.pathname = `/${name}`;
    await createRoles(url.href);
    return url.href;
  }

  function environment(role: keyof typeof ROLES, port: string): NodeJS.ProcessEnv {
    const ofRole = (name: string) => {
      const url = new URL(databaseUrl);
      // libpq takes no plus for a space.
      url.search = `?options=${encodeURIComponent(`-c role=${name}`)}`;
      return url.href;
    };
    const { PATH, HOME } = process.env;
    return {
      ...env.env,
      ...urls,
      HOME,
      PATH: `${POSTGRESQL}:${PATH}`,
      DATABASE_URL: ofRole(ROLES[role]),
      OWNER_URL: ofRole(ROLES.owner),
      PORT: port,
    };
  }

  function type(block: string, port = "0") {
    const role = present(rolesOf(block)[0], "a role");
    const text = block
      .replaceAll("--chain 1", `--chain ${product.deployment.chainId}`)
      .replaceAll("resume 1 0x...", `resume ${product.deployment.chainId} ${wallet}`)
      .replaceAll("app.dump", join(directory, "app.dump"));
    // A shell's script: it ends where one of its lines fails.
    const file = join(directory, `block-${++typedBlocks}.sh`);
    writeFileSync(file, `set -e\n${text}\n`);
    return spawn("sh", [file], {
      cwd: ROOT,
      env: environment(role, port),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** @returns what a block printed. @throws where it failed */
  async function run(block: string): Promise<string> {
    const child = type(block);
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (out += text));
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(`${block}\nended with ${code}:\n${out}`);
    return out;
  }

  /** Starts a program, and leaves it in the background as a terminal of its own would. */
  function start(block: string, name: string): void {
    const child = type(block, new URL(present(urls[name], name)).port);
    for (const stream of [child.stdout, child.stderr]) stream.resume();
    running.set(name, child);
  }

  async function stop(name: string): Promise<void> {
    const child = running.get(name);
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    running.delete(name);
    const ended = new Promise((resolve) => child.once("close", resolve));
    process.kill(-child.pid, "SIGTERM");
    await ended;
  }

  const ready = (name: string) =>
    until(
      `${name} is ready`,
      async () => {
        const answer = await fetch(`${urls[name]}/readyz`).catch(() => null);
        // An api is ready while a chain or its index is not.
        return answer?.ok && !/"(indexer of )?chain /.test(await answer.text());
      },
      300_000,
    );

  /** Types the blocks of a page; those that start a program are left running, under the name of the URL that later ones ask. */
  async function follow(
    blocks: readonly string[],
    before: (block: string) => Promise<void>,
  ): Promise<string> {
    let out = "";
    for (const block of blocks) {
      await before(block);
      const program = /^npm run (api|worker|deliverer|indexer)$/.exec(block)?.[1];
      if (program) start(block, `NEW_${program.toUpperCase()}`);
      else out += await run(block);
    }
    return out;
  }

  it("upgrade.md replaces programs that run", async () => {
    await run('DATABASE_URL="$OWNER_URL" npm run db:migrate');
    start("npm run indexer", "NEW_INDEXER");
    start("npm run worker", "NEW_WORKER");
    start("npm run api", "API");
    await ready("NEW_WORKER");
    await ready("API");
    const out = await follow(UPGRADE, async (block) => {
      // A second process of the build would wait for the first one's lock, and needs its port.
      if (block === "npm run indexer") await stop("NEW_INDEXER");
      if (block === "npm run worker") await stop("NEW_WORKER");
    });
    expect(out).toContain("database migrated");
    expect(out).toMatch(new RegExp(`${wallet}\\s+active`, "i"));
    expect(out).toMatch(/onchain_[0-9a-f]{10}\s+in use/);
    for (const name of [...running.keys()]) await stop(name);
  });

  it("restore.md brings the backup back that upgrade.md made", async () => {
    databaseUrl = await makeDatabase("restored");
    const out = await follow(RESTORE, async (block) => {
      if (block.includes("wallets list")) {
        start("npm run worker", "NEW_WORKER");
        start("npm run api", "NEW_API");
        await ready("NEW_WORKER");
        await ready("NEW_API");
        await query(databaseUrl, "UPDATE app.delegatee_wallet SET state = 'halted'");
      }
    });
    expect(out).toContain("is halted: nothing new is signed");
    expect(out).toMatch(new RegExp(`${wallet} sends again`, "i"));
    expect(out).toMatch(/no differences/);
    expect(out).toContain("sends again");
  });
}
