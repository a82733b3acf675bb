import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { watchCall } from "../../packages/sandbox/src/banner.ts";
import { present, until } from "../support/assert/until.ts";
import type { Order, Send } from "../support/http/answers.ts";
import { createControl } from "../support/http/control.ts";
import { createPartner } from "../support/http/partner.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

const SANDBOX_DIR = dirname(process.env.E2E_STATE_FILE ?? "");
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const partner = createPartner(state.baseUrl, key);

beforeAll(() => createControl(state.controlUrl).quiet(partner));

/** Runs the command that the sandbox prints for watching events. */
async function watch() {
  const shell = spawn("/bin/sh", ["-c", `exec ${watchCall(state)}`]);
  let output = "";
  shell.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  await until("the first heartbeat", () => output.includes("event: heartbeat"));
  return { output: () => output, end: () => shell.kill() };
}

it("the README's example buys, waits until Filled, and prints what happened", async () => {
  const watched = await watch();
  const { stdout } = await promisify(execFile)(process.execPath, ["examples/first-order.mjs"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, SANDBOX_DIR },
    timeout: 120_000,
  });
  const hash = present(/^sent (0x[0-9a-f]{64})$/m.exec(stdout)?.[1], `a hash in ${stdout}`);
  const order = await partner.must(partner.get<Order>(`/orders/tx/${hash}`));
  expect(order.status).toBe("Filled");
  const fills = present(order.historyOrder, "a history order").fills.map(
    ({ quantity, price }) => `bought ${quantity} at ${price}\n`,
  );
  expect(stdout).toMatch(/^it is number 1 of \d+ filled orders\n$/m);
  expect(stdout).toContain(`order ${order.orderId} is Filled\n${fills.join("")}`);
  const event = await until("the order is told of as filled", () => findEvent("order.filled", order.orderId));
  const { data, ...told } = event;
  expect(data).toEqual(await partner.must(partner.get<Order>(`/orders/${order.orderId}`)));
  expect(told).toMatchObject({
    resource: "orders",
    retracts: null,
    txHash: order.historyOrder?.settleTxHash,
  });
  await until("the stream has it", () => watched.output().includes(JSON.stringify(event)));
  expect(watched.output()).toMatch(/^event: order\.filled$/m);
  watched.end();
});

it("the README's command sends an order for the user who has delegated", async () => {
  await ensureDelegation(partner, state);
  const readme = readFileSync(`${ROOT}README.md`, "utf8");
  const command = present(/^npx partner-trading call POST .*$/m.exec(readme)?.[0], "the command");
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", command], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SANDBOX_DIR },
    timeout: 60_000,
  });
  const { requestId } = sentSchema.parse(JSON.parse(stdout));
  await until("the order is filled", async () => {
    const { mapping } = await partner.must(partner.get<Send>(`/sends/${requestId}`));
    if (!mapping?.orderId) return undefined;
    const order = await partner.must(partner.get<Order>(`/orders/${mapping.orderId}`));
    return order.status === "Filled" || undefined;
  });
});

const sentSchema = z.object({ requestId: z.uuid(), operation: z.literal("orders/send") });

interface Told {
  type: string;
  resource: string;
  txHash: string | null;
  retracts: string | null;
  data: Order;
}

/** Reads the log of the key from its begin. */
async function findEvent(type: string, orderId: string | null): Promise<Told | undefined> {
  let after = "";
  for (;;) {
    const query = { limit: 100, types: type, ...(after ? { after } : {}) };
    const page = await partner.must(partner.get<{ rows: Told[]; nextCursor: string }>("/events", query));
    const found = page.rows.find(({ data }) => data.orderId === orderId);
    if (found || page.nextCursor === after) return found;
    after = page.nextCursor;
  }
}
