import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type GraphQLObjectType, getNamedType, isObjectType } from "graphql";
import { buildApiSchema } from "../../src/api/schema.ts";
import { isForOperators } from "../../src/http/graphql/roles.ts";
import type { DashboardRole } from "../../src/protocol/enums.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { insertRows } from "../support/db/builders/rows.ts";
import { empty } from "../support/db/empty.ts";
import { project } from "../support/db/projected.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../support/http/graphql.ts";
import {
  ALICE,
  CHAIN,
  createDeliveries,
  createEvent,
  createSentOrder,
  requestRow,
  START,
  secondsOf,
  startTimelines,
  type TimelineFixture,
} from "./timeline-fixture.ts";

// Every field that a viewer may have, over rows of a user in every table that dashboards read.

let fixture: TimelineFixture;
let server: GraphqlServer;
let webhookId: string;
let sent: Awaited<ReturnType<typeof createSentOrder>>;

beforeAll(async () => {
  fixture = await startTimelines();
  const { key, onchain, deps } = fixture;
  const { chainId, productType } = key;
  const reverted = {
    errCode: "CHAIN_REVERT",
    revert: "InsufficientBalance",
    minedSuccess: false,
    outcome: "reverted",
  };
  await createSentOrder(fixture, key, { send: reverted });
  sent = await createSentOrder(fixture, key, { send: { clientOrderId: "order-1" } });
  const scope = { chainId, productType, userAddress: ALICE };
  await onchain.insert("cashBalance", scope);
  const [tokenAddress, opId, txHash] = [hex(20, 0x70), hex(32, 0x0b), hex(32, 0x7b)];
  await onchain.insert("cashToken", { chainId, productType, tokenAddress, decimals: 6, usdRate: 1_000_000n });
  await onchain.insert("cashOperation", {
    ...scope,
    opId,
    kind: "deposit",
    tokenAddress,
    txHash,
    tokenAmount: 1n,
    wadAmount: 1n,
    status: "processing",
    blockNumber: 992n,
    createdAt: BigInt(secondsOf(992)),
    updatedBlock: 992n,
  });
  await createClaim(deps.pool, key, { txHash, operationType: "deposit", userAddress: ALICE });
  await project(deps);
  await empty(deps.pool, "app.event");
  const mapping = { mappingId: sent.claimId, userAddress: ALICE };
  const data = { orderId: sent.orderId, userAddress: ALICE, mapping };
  const placed = await createEvent(fixture, key, { type: "order.placed", data, at: START });
  webhookId = await createDeliveries(fixture, key, [{ ...placed, deliveryId: DELIVERY }]);
  await insertRows(deps.pool, "app.audit_entry", [
    { actor: "ops", action: "key.create", subject: ALICE, detail: JSON.stringify({ userAddress: ALICE }) },
  ]);
  await insertRows(deps.pool, "app.request_log", [requestRow(REQUEST, key)]);
  server = await startGraphql({
    schema: buildApiSchema(),
    deps: { ...deps, environment: { name: "staging", colour: "amber" } },
    authenticate: async (authorization) => {
      const role = authorization === "Bearer operator" ? "operator" : "viewer";
      return { ok: true, user: { name: role, role, expiresAt: null }, recheck: async () => null };
    },
  });
});
afterAll(async () => {
  await server?.stop();
  await fixture?.close();
});

const REQUEST = randomUUID();
const DELIVERY = randomUUID();
const DEPTH_MAX = 6;

/** Returns a selection of all fields that a role may have. */
function selectionOf(role: DashboardRole, type: GraphQLObjectType, above: readonly string[] = []): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (role === "viewer" && isForOperators(field)) return [];
    const result = getNamedType(field.type);
    if (!isObjectType(result)) return [field.name];
    if (above.includes(result.name) || above.length >= DEPTH_MAX) return [];
    const nested = selectionOf(role, result, [...above, type.name]);
    return nested === "" ? [] : [`${field.name} ${nested}`];
  });
  return fields.length === 0 ? "" : `{ ${fields.join(" ")} }`;
}

const LISTS = [
  "orders",
  "operations",
  "sendRequests",
  "events",
  "keys",
  "requests",
  "webhooks",
  "deliveries",
];
const argumentsOf: Record<string, () => string> = {
  ...Object.fromEntries(LISTS.map((name) => [name, () => "(first: 5)"])),
  chainSeries: () => `(chainId: ${CHAIN})`,
  queueSeries: () => `(chainId: ${CHAIN})`,
  key: () => `(keyId: "${fixture.key.keyId}")`,
  keyUsage: () => `(keyId: "${fixture.key.keyId}")`,
  deliveries: () => `(first: 5, webhookId: "${webhookId}")`,
  webhook: () => `(webhookId: "${webhookId}")`,
  delivery: () => `(deliveryId: "${DELIVERY}")`,
  request: () => `(uuid: "${REQUEST}")`,
  search: () => `(text: "${sent.txHash}")`,
  timeline: () => `(kind: "order", id: "${sent.orderId}")`,
};

const dashboard = getNamedType(
  present(buildApiSchema().getQueryType()?.getFields().dashboard, "the field dashboard").type,
);
const fields = isObjectType(dashboard) ? Object.values(dashboard.getFields()) : [];

async function ask(role: DashboardRole, name: string): Promise<string> {
  const type = getNamedType(
    present(
      fields.find((field) => field.name === name),
      name,
    ).type,
  );
  const selection = isObjectType(type) ? selectionOf(role, type) : "";
  const query = `{ dashboard { ${name}${argumentsOf[name]?.() ?? ""} ${selection} } }`;
  const { json, text } = await postGraphql(server.url, { query }, { authorization: `Bearer ${role}` });
  const isNull = json.data?.dashboard[name] === null;
  expect({ name, errors: json.errors ?? [], isNull }).toEqual({ name, errors: [], isNull: false });
  return text.toLowerCase();
}

const forViewers = fields.filter((field) => !isForOperators(field)).map(({ name }) => name);
const USER = ALICE.slice(2).toLowerCase();

it.each(forViewers)("Dashboard.%s shows a viewer no user's address", async (name) => {
  const text = await ask("viewer", name);
  expect(text).not.toContain(USER);
  if (LISTS.includes(name)) expect(text).toMatch(/"node":/);
});

it.each(["orders", "operations", "sendRequests", "events", "keys", "timeline", "auditEntries"])(
  "Dashboard.%s shows an operator the address that it withholds from a viewer",
  async (name) => expect(await ask("operator", name)).toContain(USER),
);
