import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { parse } from "graphql";
import { readTypeDefs } from "../src/http/graphql/sdl.ts";

/** `npm run schema:types`: writes the types of schema/*.graphql, with which the compiler checks every endpoint's `resolve`. */
const FILE = fileURLToPath(new URL("../src/context/schema-types.ts", import.meta.url));

const HEAD = "// Written by `npm run schema:types` from schema/*.graphql; not to be edited.\n";

/** Arguments are checked by zod, so their scalars are unknown here; `output` is what a resolver may return. */
const scalar = (output: string) => ({ input: "unknown", output });
const ENUMS = 'import("../protocol/enums.ts")';
const word = (name: string) => scalar(`${ENUMS}.${name}`);
const WHOLE = "number | bigint";

const SCALARS = {
  Decimal: scalar("string"),
  Address: scalar("string"),
  Hash: scalar("string"),
  Text: scalar("string"),
  Integer: scalar(WHOLE),
  UnixSeconds: scalar(WHOLE),
  BlockNumber: scalar(WHOLE),
  JSON: scalar("unknown"),
  Bytes: scalar("string"),
  CallArguments: scalar("Readonly<Record<string, string>>"),
  OrderStatus: word("OrderStatus"),
  OperationType: word("OperationType"),
  ActionType: word("ActionType"),
  SendOperation: word("SendOperation"),
  ActivityKind: word("ActivityKind"),
  EventType: word("EventType"),
  EventResource: word("EventResource"),
  ErrCode: scalar('import("../protocol/errors.ts").ErrCode'),
};

/** Returns the value that resolvers pass to the resolvers of a type, still without its own fields (`resolved`). */
const node = (resolved: readonly string[], own: string) =>
  `Omit<{T}, ${resolved.map((name) => `"${name}"`).join(" | ")}> & { ${own} }`;
/** Rows are counted where the count is selected. */
const connection = (edge: string) =>
  `Omit<{T}, "edges" | "totalCount"> & { edges: ReadonlyArray<ResolversTypes["${edge}"]>; totalCount: () => Promise<number> }`;
const OWNED = node(["key", "sendRequest"], "keyId: string; claimId: string");

/** Types of the dashboard with their own resolvers. */
const MAPPERS = {
  Dashboard: "object",
  ChainState: node(["sendQueues"], "chainId: number"),
  SendQueue: node(["daysLeft"], "chainId: number"),
  OwnedOrder: OWNED,
  OwnedOperation: OWNED,
  OwnedEvent: node(["key"], "keyId: string"),
  SendRequest: node(["key", "attempts"], "keyId: string"),
  Ledger: node(["stocks", "keys"], 'chainId: number; user: import("viem").Hex'),
  KeyConnection: connection("KeyEdge"),
  OwnedOrderConnection: connection("OwnedOrderEdge"),
  OwnedOperationConnection: connection("OwnedOperationEdge"),
  LedgerConnection: connection("LedgerEdge"),
  SendRequestConnection: connection("SendRequestEdge"),
  OwnedEventConnection: connection("OwnedEventEdge"),
  DashboardWebhook: node(["key"], "keyId: string"),
  WebhookConnection: connection("WebhookEdge"),
  WebhookDeliveryState: node(["webhook"], "webhookId: string"),
  DeliveryConnection: connection("DeliveryEdge"),
  KeptRequest: node(["key"], "keyId: string"),
  OrderTotal: node(["key"], "keyId: string | null"),
  RefusalTotal: node(["key"], "keyId: string"),
  KeptRequestConnection: connection("KeptRequestEdge"),
  AuditEntryConnection: connection("AuditEntryEdge"),
};

/** Returns the content of src/context/schema-types.ts for the present schema/*.graphql. */
export async function generateSchemaTypes(): Promise<string> {
  const generated = await codegen({
    schema: parse(readTypeDefs().join("\n")),
    documents: [],
    filename: FILE,
    config: {
      scalars: SCALARS,
      mappers: MAPPERS,
      // It takes types that name themselves ({T}) for unused.
      showUnusedMappers: false,
      strictScalars: true,
      contextType: "./request.ts#RequestContext",
      useTypeImports: true,
      skipTypename: true,
      immutableTypes: true,
      avoidOptionals: { field: true },
      enumsAsTypes: true,
      disableDescriptions: true,
    },
    pluginMap: { typescript, resolvers },
    plugins: [{ typescript: {} }, { resolvers: {} }],
  });
  return `${HEAD}${generated}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, await generateSchemaTypes());
