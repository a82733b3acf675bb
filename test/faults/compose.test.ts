import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, jest } from "@jest/globals";
import { z } from "zod";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { ROOT } from "../../src/config/root.ts";
import { NotYetError, until } from "../support/assert/until.ts";
import { type Product, startProduct } from "../support/chain/product.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { shellBlocksOf } from "../support/program/markdown.ts";

/**
 * docs/operations/compose.md, followed with a real Docker: the image is built, the compose file started over a real chain, a
 * key made, one api after the other replaced while a partner calls, and a backup restored.
 */
jest.setTimeout(900_000);
const START_MS = 240_000;

describeWhere("docker", "deploy/compose.yaml", () => {
  const name = `partner-test-${randomBytes(4).toString("hex")}`;
  const image = `partner-trading-api:${name}`;
  let directory: string;
  let product: Product;
  let node: Awaited<ReturnType<typeof startNodeForContainers>>;
  let baseUrl: string;
  let partner: Partner;

  const compose = (...args: string[]) =>
    run("docker", ["compose", "-p", name, "-f", join(directory, "deploy/compose.yaml"), ...args], directory);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "partner-compose-"));
    for (const folder of ["deploy", "prisma"])
      cpSync(join(ROOT, folder), join(directory, folder), { recursive: true });
    await run(
      "docker",
      ["build", "--quiet", "--network", "host", "-f", "deploy/Dockerfile", "-t", image, "."],
      ROOT,
    );
    product = await startProduct();
    node = await startNodeForContainers(product.rpcUrl);
    await run("sh", ["deploy/compose/new-env.sh"], directory);
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    fillIn(".env", {
      IMAGE: image,
      RPC_URL_1: node.url,
      MARKET_DATA_PROVIDER: "sandbox",
      MARKET_DATA_URL: node.url,
      PUBLIC_PORT: String(port),
      OPERATOR_PUBLISHED_PORT: String(await freePort()),
    });
    writeFileSync(join(directory, "deploy/deployments.json"), JSON.stringify({ chains: [chainOf(product)] }));
    await compose("up", "-d", "--no-build");
  });

  afterAll(async () => {
    await compose("down", "--volumes", "--timeout", "1").catch(() => undefined);
    await run("docker", ["image", "rm", "--force", image], ROOT).catch(() => undefined);
    await node?.close();
    await product?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  function fillIn(file: string, values: Record<string, string>): void {
    const path = join(directory, "deploy", file);
    const lines = readFileSync(path, "utf8").split("\n");
    const filled = lines.map((line) => {
      const variable = line.slice(0, Math.max(line.indexOf("="), 0));
      return values[variable] === undefined ? line : `${variable}=${values[variable]}`;
    });
    writeFileSync(path, filled.join("\n"));
  }

  /** Makes a key by the operator's command, for a caller on this machine. */
  async function makeKey(keyName: string): Promise<Partner> {
    const { chainId } = product.deployment;
    const options = `--name ${keyName} --access READ_ONLY --product Sandbox --ip 172.30.80.1`.split(" ");
    const command = ["keys", "create", ...options, "--chain-id", `${chainId}`];
    const made = await compose("run", "--rm", "-T", "admin", ...command);
    const [apiKey = ""] = /pk_[0-9a-f]+/.exec(made) ?? [];
    const [apiSecret = ""] = /sk_[0-9a-f]+/.exec(made) ?? [];
    return createPartner(baseUrl, { apiKey, apiSecret, chainId, productType: "Sandbox" });
  }

  /** Types a block of the page, without what older versions of Compose do not know, or ask a terminal for. */
  async function type(block: string): Promise<string> {
    const text = block
      .replaceAll(" --wait", "")
      .replaceAll("run --rm", "run --rm -T")
      .replaceAll("--chain 1", `--chain ${product.deployment.chainId}`);
    const file = join(directory, "block.sh");
    writeFileSync(file, `set -e\nexport COMPOSE_PROJECT_NAME=${name}\n${text}\n`);
    return run("sh", [file], join(directory, "deploy"));
  }

  const untilHealthy = (service: string) =>
    until(
      `${service} is healthy`,
      async () => {
        const id = (await compose("ps", "-q", service)).trim();
        const state = await run("docker", ["inspect", "-f", "{{.State.Health.Status}}", id], directory);
        if (state.trim() !== "healthy") throw new NotYetError(state);
        return true;
      },
      START_MS,
    );

  it("starts every program, migrated and healthy", async () => {
    for (const service of ["worker", "deliverer", "indexer", "api-1", "api-2"]) await untilHealthy(service);
    await until("the proxy has found an api", async () =>
      (await fetch(`${baseUrl}/readyz`)).ok ? true : undefined,
    );
  });

  it("shows partners their paths, and nothing of the operator's", async () => {
    const statusOf = async (path: string) => (await fetch(`${baseUrl}${path}`)).status;
    expect({ openapi: await statusOf("/openapi.json") }).toEqual({ openapi: 200 });
    for (const path of ["/metrics", "/graphql", "/dashboard"])
      expect({ path, status: await statusOf(path) }).toEqual({ path, status: 404 });
  });

  it("answers a key that the operator's command made, at the caller's true address", async () => {
    partner = await makeKey("first");
    await until("the chain is indexed", async () => (await partner.get("/config")).status === 200);
    await partner.must(partner.get("/config"));
    const forged = await partner.get("/config", {}, { headers: { "x-forwarded-for": "203.0.113.7" } });
    expect(forged.body).toMatchObject({ code: 200, errMsg: "" });
  });

  it("drops no request while one api after the other is replaced", async () => {
    const statuses = new Map<number, number>();
    let replaced = false;
    const calling = (async () => {
      while (!replaced) {
        const { status } = await partner.get("/config");
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    })();
    for (const api of ["api-1", "api-2"]) {
      await compose("up", "-d", "--no-build", "--no-deps", "--force-recreate", api);
      await untilHealthy(api);
    }
    replaced = true;
    await calling;
    expect({ statuses: [...statuses.keys()] }).toEqual({ statuses: [200] });
  });

  it("has a second indexer, which goes on with the index when the first one stops", async () => {
    await compose("up", "-d", "--no-build", "--no-deps", "indexer-2");
    await untilHealthy("indexer-2");
    await partner.must(partner.get("/config"));
    await compose("stop", "indexer");
    const readyz = "fetch('http://127.0.0.1:8082/readyz').then((answer) => process.exit(answer.ok ? 0 : 1))";
    await until(
      "the second indexer is ready",
      () =>
        compose("exec", "-T", "indexer-2", "node", "-e", readyz).catch((error: unknown) => {
          throw new NotYetError(String(error));
        }),
      START_MS,
    );
    await partner.must(partner.get("/config"));
  });

  it("backs up, and finds right what it has restored", async () => {
    await compose("exec", "-T", "backup", "/backup.sh", "dump");
    await compose("exec", "-T", "backup", "/backup.sh", "restore");
    await untilHealthy("backup-check");
    const metrics =
      "fetch('http://127.0.0.1:8086/metrics').then((answer) => answer.text()).then(console.log)";
    await until(
      "the backup is found right",
      async () => {
        const shown = await compose("exec", "-T", "backup-check", "node", "-e", metrics);
        return /^partner_trading_backup_restore_checked_timestamp_seconds [1-9]/m.test(shown);
      },
      START_MS,
    );
  });

  it("restores the backup of the page, with whichever indexer runs: what was made since is gone, and sending is halted", async () => {
    const [backUp = "", restore = ""] = shellBlocksOf("docs/operations/compose.md").slice(-2);
    expect([backUp, restore].map((block) => /pg_\w+/.exec(block)?.[0])).toEqual(["pg_dump", "pg_restore"]);
    await type(backUp);
    const since = await makeKey("since");
    await since.must(since.get("/config"));
    expect(await type(restore)).toMatch(/halted.*first/s);
    for (const service of ["indexer", "worker", "deliverer", "api-1", "api-2"]) await untilHealthy(service);
    await until("the index is there again", async () => {
      const { status, body } = await partner.get("/config");
      if (status === 503) throw new NotYetError(body.errMsg);
      expect({ status, errMsg: body.errMsg }).toEqual({ status: 200, errMsg: "" });
      return true;
    });
    expect((await since.get("/config")).body).toMatchObject({ code: 401, errMsg: "Unauthorized" });
  });
});

const execute = promisify(execFile);

async function run(command: string, args: string[], cwd: string): Promise<string> {
  const { stdout } = await execute(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

function chainOf({ deployment }: Product) {
  const { chainId, stockRouter, cashier, stock, oneClickRouter } = deployment;
  return {
    chainId,
    // A variable of .env, which the programs fill in.
    rpcUrls: ["$" + "{RPC_URL_1}"],
    ephemeral: true,
    confirmations: 2,
    products: [
      {
        productType: "Sandbox",
        startBlock: 0,
        contracts: { stockRouter, cashier, stock, oneClickRouter },
      },
    ],
  };
}

/** Returns the machine's address on Docker's own bridge: the first of its subnet, where Docker does not name it. */
async function bridgeAddress(): Promise<string> {
  const config = await run(
    "docker",
    ["network", "inspect", "bridge", "-f", "{{json (index .IPAM.Config 0)}}"],
    ROOT,
  );
  const { Gateway, Subnet } = z
    .object({ Gateway: z.string().optional(), Subnet: z.string() })
    .parse(JSON.parse(config));
  return Gateway ?? Subnet.replace(/\.\d+\/\d+$/, ".1");
}

/** Passes calls from containers on to the chain, which listens on the loopback interface alone and checks Host. */
async function startNodeForContainers(rpcUrl: string) {
  const gateway = await bridgeAddress();
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const passed = request(
      rpcUrl,
      { method, headers: { ...headers, host: new URL(rpcUrl).host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, gateway, resolve));
  return {
    url: `http://${gateway}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
