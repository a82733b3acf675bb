import { GraphQLNonNull, type GraphQLObjectType, type GraphQLSchema, isObjectType } from "graphql";
import { EVENT_TYPES, type EventResource, type EventType } from "../../protocol/enums.ts";
import { OPERATION_PATHS } from "../../protocol/operations.ts";
import type { JsonSchema } from "../graphql/scalars.ts";
import type { SpecialTypes, Types } from "./types.ts";

/** Content of the events of a type. */
interface EventDescription {
  /** Fact that the event reports. */
  meaning: string;
  resources: readonly EventResource[];
  /** The type of `data`, of the GraphQL schema or of OTHER_DATA. */
  data: string;
  /** Fields of an example's data that the example of that type lacks. */
  example: object;
}

const order = (meaning: string, example: object): EventDescription => ({
  meaning,
  resources: ["orders"],
  data: "Order",
  example,
});
const ended = (status: string, more: object = {}) => ({
  status,
  onChainStatus: "history",
  openOrder: null,
  historyOrder: {
    status,
    filledQuantity: "0",
    filledNotional: "0",
    averageFillPrice: null,
    fee: "0",
    fills: [],
    ...more,
  },
});
const operation = (meaning: string, example: object): EventDescription => ({
  meaning,
  resources: OPERATION_PATHS,
  data: "OperationDetail",
  example: { mapping: { operationType: "deposit", orderId: null }, ...example },
});
const send = (meaning: string, example: object): EventDescription => ({
  meaning,
  resources: ["sends"],
  data: "Send",
  example,
});
const delegation = (meaning: string, example: object): EventDescription => ({
  meaning,
  resources: ["1ct/status"],
  data: "Delegation",
  example,
});
const PARTIAL = { filledQuantity: "0.5", filledNotional: "90.25", averageFillPrice: "180.5", fee: "0.09025" };

const EVENTS: Readonly<Record<EventType, EventDescription>> = {
  "order.mapped": order("The transaction is claimed, and not indexed yet.", {
    orderId: null,
    status: "Init",
    onChainStatus: "placing",
    orderIds: [],
    mapping: { orderId: null, mappingStatus: "pending" },
    openOrder: { orderId: null, status: "placing", blockNumber: null },
  }),
  "order.placed": order("The order is on the chain and open.", {}),
  "order.partially_filled": order("It has fills, and is open: an event for each fill.", {
    status: "Partial filled",
    openOrder: { ...PARTIAL, fills: [{ quantity: "0.5", fee: "0.09025" }] },
  }),
  "order.filled": order("The order ended filled.", {
    ...ended("Filled"),
    historyOrder: { status: "Filled" },
  }),
  "order.canceling": order("A cancel is on the chain: another event for each fill until it ends.", {
    onChainStatus: "canceling",
    openOrder: { status: "canceling" },
  }),
  "order.canceled": order("The order ended canceled, with the fills it has.", ended("Canceled")),
  "order.rejected": order("The order ended rejected.", ended("Rejected", { failReason: "rejected" })),
  "order.expired": order("The order ended expired.", ended("Expired")),
  "order.failed": order("Its transaction failed.", {
    orderId: null,
    orderIds: [],
    mapping: { orderId: null, mappingStatus: "reverted" },
    ...ended("Failed", { orderId: null, settleTxHash: null, settledAt: null }),
  }),
  "operation.pending": operation("The transaction is claimed, and not indexed yet.", {
    operationId: null,
    mappingStatus: "pending",
    operationStatus: "pending",
    depositOperation: null,
  }),
  "operation.processing": operation("The operation is queued.", {
    operationStatus: "processing",
    depositOperation: {
      status: "processing",
      isInstant: false,
      creditAmount: null,
      feeAmount: null,
      settleTxHash: null,
      settledAt: null,
    },
  }),
  "operation.completed": operation("The operation is done.", {}),
  "operation.failed": operation("The operation failed.", {
    operationStatus: "failed",
    depositOperation: { status: "failed", isInstant: false, failReason: "rejected" },
  }),
  "operation.canceled": operation("The operation was canceled.", {
    operationStatus: "canceled",
    depositOperation: { status: "canceled", isInstant: false },
  }),
  "mapping.removed": {
    meaning: "The row of this mappingId left the key's list: its claim was dropped, or another key owns it.",
    resources: ["orders", ...OPERATION_PATHS],
    data: "Mapping",
    example: {},
  },
  "send.submitted": send("The request to send is broadcast.", {}),
  "send.confirmed": send("Its transaction succeeded; again, with `final` true, once it is final.", {
    status: "confirmed",
  }),
  "send.failed": send("It will not succeed any more.", { status: "failed", errCode: "CHAIN_REVERT" }),
  "delegation.enabled": delegation("The key may send for its user.", {}),
  "delegation.disabled": delegation("The key may no longer send for its user.", { status: "disabled" }),
  "corporate_action.applied": {
    meaning:
      "A split or dividend changed a token's multiplier on the chain. Where `retracts` is set: the present multiplier, and no block.",
    resources: ["corporate-action"],
    data: "AppliedCorporateAction",
    example: {},
  },
  "distribution.applied": {
    meaning:
      "A split or dividend changed how many shares the tokens of a user stand for. Where `retracts` is set, a reorg took the one before back; without a block, nothing came in its place.",
    resources: ["users/activities"],
    data: "AppliedDistribution",
    example: {},
  },
  "webhook.disabled": {
    meaning: "A webhook failed for three days, or answered 410.",
    resources: ["webhooks"],
    data: "Webhook",
    example: { status: "disabled", disabledReason: "failing", disabledAt: 1_795_226_400 },
  },
  "key.expiring": {
    meaning: "The key ends within 14, 3 or 1 days.",
    resources: ["key"],
    data: "ExpiringKey",
    example: {},
  },
  "maintenance.announced": {
    meaning: "The operator announced maintenance.",
    resources: ["status"],
    data: "MaintenanceNotice",
    example: {},
  },
  "maintenance.canceled": {
    meaning: "The operator canceled announced maintenance.",
    resources: ["status"],
    data: "MaintenanceNotice",
    example: { canceledAt: 1_795_226_400 },
  },
  "status.changed": {
    meaning:
      "The chain or the market data of this log is in another state, and has been for a minute at least.",
    resources: ["status"],
    data: "StatusChange",
    example: {},
  },
};

const nullable = (name: string): JsonSchema => ({ anyOf: [refTo(name), { type: "null" }] });
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Data of events that no endpoint answers. */
const OTHER_DATA: Readonly<Record<string, { schema: JsonSchema; example: object }>> = {
  AppliedCorporateAction: {
    schema: {
      type: "object",
      description: "A change of a token's multiplier.",
      required: ["stockToken", "symbol", "oldMultiplier", "newMultiplier", "blockNumber", "txHash"],
      properties: {
        stockToken: { ...refTo("Address"), description: "Address of the stock token." },
        symbol: { type: "string", description: "Symbol of the stock." },
        oldMultiplier: { ...refTo("Decimal"), description: "`multiplierBefore` of GET /corporate-action." },
        newMultiplier: { ...refTo("Decimal"), description: "`multiplierAfter` of GET /corporate-action." },
        blockNumber: { ...nullable("BlockNumber"), description: "The block of the change, or null." },
        txHash: { ...nullable("Hash"), description: "The transaction of the change, or null." },
      },
    },
    example: {
      stockToken: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      symbol: "AAPL",
      oldMultiplier: "1",
      newMultiplier: "1.0012",
      blockNumber: 48_210_377,
      txHash: "0x8a7d3f1c5b9e2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a2c4e6b8d0f",
    },
  },
  AppliedDistribution: {
    schema: {
      type: "object",
      description: "A change of the multiplier of a token that a user held on the exchange.",
      required: [
        "userAddress",
        "stockToken",
        "symbol",
        "multiplierBefore",
        "multiplierAfter",
        "tokens",
        "sharesBefore",
        "sharesAfter",
        "timestamp",
        "blockNumber",
        "txHash",
      ],
      properties: {
        userAddress: { ...refTo("Address"), description: "The user." },
        stockToken: { ...refTo("Address"), description: "Address of the stock token." },
        symbol: { type: "string", description: "Symbol of the stock." },
        multiplierBefore: {
          ...refTo("Decimal"),
          description: "The token's multiplier before: shares per token.",
        },
        multiplierAfter: {
          ...refTo("Decimal"),
          description: "The multiplier since; GET /corporate-action names the action that has both.",
        },
        tokens: {
          ...refTo("Decimal"),
          description: "Tokens held on the exchange, locked ones too: at the change, without a block now.",
        },
        sharesBefore: { ...refTo("Decimal"), description: "Shares that they stood for." },
        sharesAfter: { ...refTo("Decimal"), description: "Shares that they stand for." },
        timestamp: { ...nullable("UnixSeconds"), description: "When it was mined, Unix seconds, or null." },
        blockNumber: { ...nullable("BlockNumber"), description: "The block of the change, or null." },
        txHash: { ...nullable("Hash"), description: "The transaction of the change, or null." },
      },
    },
    example: {
      userAddress: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      stockToken: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      symbol: "AAPL",
      multiplierBefore: "1",
      multiplierAfter: "2",
      tokens: "3.5",
      sharesBefore: "3.5",
      sharesAfter: "7",
      timestamp: 1_795_226_400,
      blockNumber: 48_210_377,
      txHash: "0x8a7d3f1c5b9e2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a2c4e6b8d0f",
    },
  },
  ExpiringKey: {
    schema: {
      type: "object",
      description: "A key that ends soon.",
      required: ["apiKey", "expiresAt", "withinDays"],
      properties: {
        apiKey: { type: "string", description: "The public identifier that requests carry as x-api-key." },
        expiresAt: { ...refTo("UnixSeconds"), description: "When it ends, Unix seconds." },
        withinDays: { ...refTo("Integer"), description: "14, 3 or 1." },
      },
    },
    example: { apiKey: "pk_4f9d1c0a7b3e", expiresAt: 1_796_436_000, withinDays: 14 },
  },
  StatusChange: {
    schema: {
      type: "object",
      description: "How the chain and the market data of a log are.",
      required: ["chainId", "health", "sendingHalted", "marketDataHealth", "since"],
      properties: {
        chainId: { ...refTo("Integer"), description: "The chain." },
        health: { ...refTo("Health"), description: "`health` of the chain in GET /status." },
        sendingHalted: { type: "boolean", description: "`sendingHalted` of the chain in GET /status." },
        marketDataHealth: { ...refTo("Health"), description: "`marketData.health` of GET /status." },
        since: { ...refTo("UnixSeconds"), description: "When this state was first seen, Unix seconds." },
      },
    },
    example: {
      chainId: 1,
      health: "behind",
      sendingHalted: false,
      marketDataHealth: "healthy",
      since: 1_795_226_340,
    },
  },
  TestedWebhook: {
    schema: {
      type: "object",
      description: "The webhook that was tested.",
      required: ["webhookId"],
      properties: { webhookId: { type: "string", description: "Identifier of the webhook." } },
    },
    example: { webhookId: "7c1f3b52-9d64-4b0e-9a7e-2f8d5c6b1a90" },
  },
};

/** Event that POST /webhooks/{webhookId}/test delivers; the log has none of it. */
const TEST_TYPE = "webhook.test";
const TEST: EventDescription = {
  meaning: "A test of the webhook. It is in no log.",
  resources: ["webhooks"],
  data: "TestedWebhook",
  example: {},
};

/** Returns the name of the schema of a type of event: of `order.partially_filled` it is OrderPartiallyFilledEvent. */
const nameOf = (type: string): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase())}Event`;

/**
 * Returns the events of the log in place of GraphQL's one type: a schema for each type of event, told apart by `type`.
 * @throws Error where an event's data is of no type
 */
export function eventTypes(schema: GraphQLSchema): SpecialTypes {
  return {
    Event: {
      schemaOf(event, types) {
        const names = EVENT_TYPES.map((type) => {
          types.components[nameOf(type)] = eventSchema(schema, event, types, [type, EVENTS[type]]);
          return nameOf(type);
        });
        const mapping = EVENT_TYPES.map((type, index) => [type, refTo(names[index] ?? "").$ref]);
        return {
          description: `${event.description}\n\nTypes may be added: skip one that you do not know.`,
          oneOf: names.map(refTo),
          discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
          "x-extensible": true,
        };
      },
      exampleOf: (event, types) =>
        exampleOfType(schema, event, types, ["order.filled", EVENTS["order.filled"]]),
    },
  };
}

type Described = readonly [type: string, description: EventDescription];

function eventSchema(
  schema: GraphQLSchema,
  event: GraphQLObjectType,
  types: Types,
  [type, { meaning, resources, data }]: Described,
): JsonSchema {
  const fields = types.objectOf(event, {
    type: { type: "string", const: type, description: "What happened." },
    resource: {
      type: "string",
      enum: resources,
      description: "What the event is about: the list that it folds into.",
    },
    data: dataSchema(schema, types, data),
  });
  return { ...fields, description: meaning };
}

function dataSchema(schema: GraphQLSchema, types: Types, name: string): JsonSchema {
  const other = OTHER_DATA[name];
  if (!other) return types.schemaOf(typeNamed(schema, name));
  types.components[name] ??= other.schema;
  return refTo(name);
}

function exampleOfType(
  schema: GraphQLSchema,
  event: GraphQLObjectType,
  types: Types,
  [type, { resources, data, example }]: Described,
): object {
  const shown = OTHER_DATA[data]?.example ?? types.exampleOf(typeNamed(schema, data), example);
  const { data: _data, ...others } = Object(types.plainExampleOf(event));
  return { ...others, type, resource: resources[0], data: shown };
}

function typeNamed(schema: GraphQLSchema, name: string): GraphQLNonNull<GraphQLObjectType> {
  const found = schema.getType(name);
  if (!isObjectType(found)) throw new Error(`the schema has no ${name}, which events need`);
  return new GraphQLNonNull(found);
}

/** Returns an example of an event of the log. */
export const eventExample = (schema: GraphQLSchema, types: Types): unknown =>
  types.exampleOf(typeNamed(schema, "Event"));

/** Returns what is posted to webhooks, for `webhooks` of the document: a request for each type of event. */
export function describeWebhooks(schema: GraphQLSchema, types: Types): JsonSchema {
  const event = typeNamed(schema, "Event").ofType;
  const described: Described[] = [
    ...EVENT_TYPES.map((type) => [type, EVENTS[type]] as const),
    [TEST_TYPE, TEST],
  ];
  return Object.fromEntries(
    described.map(([type, description]) => {
      const name = nameOf(type);
      types.components[name] ??= eventSchema(schema, event, types, [type, description]);
      const example = exampleOfType(schema, event, types, [type, description]);
      return [type, { post: delivery(type, description.meaning, { schema: refTo(name), example }) }];
    }),
  );
}

const delivery = (type: string, meaning: string, json: JsonSchema): JsonSchema => ({
  operationId: `on${nameOf(type)}`,
  tags: ["Webhooks"],
  summary: `Receive ${type}`,
  description: `${meaning}\n\nPosted to webhooks that select it. Verify the signature before anything else reads the body, and answer within 10 s. The same \`webhook-id\` may come again.`,
  // The receiver authenticates this service by the signature.
  security: [],
  parameters: ["WebhookId", "WebhookTimestamp", "WebhookSignature"].map((name) => ({
    $ref: `#/components/parameters/${name}`,
  })),
  requestBody: { required: true, content: { "application/json": json } },
  responses: {
    "2XX": { description: "Received. The body is not read." },
    410: { description: "Gone: the webhook is disabled at once." },
    default: { description: "Not received: the event is delivered again later." },
  },
});

/** The headers of a delivery, for `components.parameters`. */
export const WEBHOOK_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  WebhookId: {
    name: "webhook-id",
    in: "header",
    required: true,
    description: "Identifies the event for this webhook, at every attempt: the deliveryId.",
    schema: { type: "string" },
    example: "0b6e4a1d-53c7-4c0a-8f5e-9d2b7a6c3e18",
  },
  WebhookTimestamp: {
    name: "webhook-timestamp",
    in: "header",
    required: true,
    description: "Time of this attempt, Unix seconds. Refuse one that is more than five minutes off.",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
    example: "1795226400",
  },
  WebhookSignature: {
    name: "webhook-signature",
    in: "header",
    required: true,
    description:
      "Signatures with blanks between them, each `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, by the bytes of the webhook's secret.",
    schema: { type: "string" },
    example: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
};
