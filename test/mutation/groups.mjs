// Lists the mutated sources, and the tests that should fail. A mutant costs the loading of the sources for every test file that covers
// it, so each group has the fewest files that cover it, the quickest first. Left out are loops and wiring that only whole
// processes run (sender/wallet-loop, sender/start, sender/metrics, outbox/queue): the faults and end-to-end tests
// hold those. Left out too is what only whole APIs over whole chains test (send.ts): a mutant there costs half a minute.
const auth = (name) => `src/auth/${name}.ts`;
const claims = (name) => `src/claims/${name}.ts`;
const sending = (name) => `src/sending/${name}.ts`;
const sender = (name) => sending(`sender/${name}`);
const webhooks = (name) => `src/webhooks/${name}.ts`;
const stream = (name) => `src/events/stream/${name}.ts`;
const streams = (name) => `src/context/streams/${name}.ts`;
const writer = (name) => `src/events/writer/${name}.ts`;
const http = (name) => `src/http/${name}.ts`;
const client = (name) => `packages/client/src/${name}.ts`;
const clientTests = (...names) => names.map((name) => `packages/client/test/${name}.test.ts`);
const indexer = (name) => `indexer/${name}.ts`;
const tests = (...names) => names.map((name) => `test/${name}.test.ts`);

const SENDER_TESTS = tests(
  "sending/sender/chain-facts",
  "sending/sender/replay",
  "sending/sender/cycle",
  "sending/sender/filler-gas",
  ...["confirm", "dispatch", "resubmit", "cycle", "nonce-gap"].map(
    (name) => `sending/sender/${name}.integration`,
  ),
);

const INDEXER = [
  "products",
  "insert-as-json",
  "metrics",
  "commit-guard",
  "catch-up",
  "chain-memory",
  "transport",
  "heads",
];

export const GROUPS = [
  { name: "auth-address", mutate: [auth("ip")], tests: tests("auth/ip") },
  {
    name: "auth-checks",
    mutate: ["headers", "signature", "scope", "checks"].map(auth),
    tests: tests(
      ...["headers", "signature", "scope", "authenticate", "authenticate-refused", "rotation"].map(
        (name) => `auth/${name}`,
      ),
    ),
  },
  {
    name: "auth-limits",
    mutate: ["in-flight", "rate-limits", "authenticate"].map(auth),
    tests: tests("auth/authenticate", "auth/rate-limits", "auth/authenticate.integration"),
  },
  { name: "auth-secrets", mutate: [auth("secrets")], tests: tests("auth/secrets") },
  {
    name: "auth-database",
    mutate: ["key-store", "nonce-store", "nonce-claim-store"].map(auth),
    tests: tests(
      "auth/key-store",
      "auth/nonce-store",
      "auth/nonce-claim.integration",
      "auth/authenticate.integration",
      "auth/shared-limits.integration",
    ),
  },
  {
    name: "auth-admin",
    mutate: ["keys-admin", "rotation", "audit"].map(auth),
    tests: tests("auth/audit.integration", "auth/keys-admin.integration", "auth/rotation.integration"),
  },
  {
    name: "sender-decisions",
    mutate: ["broadcast-result", "next-action", "fees", "receipt-decision"].map(sender),
    tests: tests("sending/sender/broadcast-result", "sending/decisions"),
  },
  {
    name: "sender-nodes",
    mutate: [...["nodes", "usable-nodes", "shared-head"].map(sender), "src/chain/rpc.ts"],
    tests: tests("sending/sender/nodes", "chain/batches", "sending/sender/shared-head"),
  },
  {
    name: "sender-chain",
    mutate: [
      "confirm",
      "confirm-store",
      "chain-facts",
      "account-nonce",
      "replay",
      "cycle",
      "context",
      "lease",
    ].map(sender),
    tests: SENDER_TESTS,
  },
  {
    name: "sender-signing",
    mutate: ["queue-store", "sign", "sign-store", "wallet-key", "reserved"].map(sender),
    tests: tests(
      ...["reserved", "policy", "refused-calls", "dispatch", "resubmit", "nonce-gap"].map(
        (name) => `sending/sender/${name}.integration`,
      ),
    ),
  },
  {
    name: "sender-dispatch",
    mutate: ["dispatch", "cancellation", "cancellation-store"].map(sender),
    tests: tests(
      ...["delegations", "refused-calls", "reserved", "policy", "dispatch"].map(
        (name) => `sending/sender/${name}.integration`,
      ),
    ),
  },
  {
    name: "sender-outgoing",
    mutate: ["filler-gas", "store", "resubmit", "broadcast", "broadcast-store"].map(sender),
    tests: tests(
      "sending/sender/filler-gas",
      ...["sender", "refused-calls", "reserved", "resubmit", "confirm"].map(
        (name) => `sending/sender/${name}.integration`,
      ),
    ),
  },
  {
    name: "outbox",
    mutate: [
      ...[
        "submit",
        "submit-store",
        "identity",
        "request-store",
        "policy",
        "policy-store",
        "reply",
        "rows",
        "end-store",
        "wait",
      ].map((name) => sending(`outbox/${name}`)),
      ...["enable-store", "store"].map((name) => sending(`delegation/${name}`)),
    ],
    tests: tests(
      ...["identity", "request-store", "reply", "policy", "wait", "submit", "submit.integration"].map(
        (name) => `sending/outbox/${name}`,
      ),
      "sending/delegation/store",
      "sending/decisions",
      "sending/outbox/outbox.integration",
    ),
  },
  {
    name: "signer",
    mutate: ["keystore", "load", "signer"].map((name) => sending(`signer/${name}`)),
    tests: tests(...["signer", "device", "load", "keystore"].map((name) => `sending/signer/${name}`)),
  },
  {
    name: "attribution-suffix",
    mutate: ["suffix", "kind"].map((name) => claims(`attribution/${name}`)),
    tests: tests("claims/attribution/suffix"),
  },
  {
    name: "attribution-claims",
    mutate: ["claim", "claim-store", "suffix-store", "sync-cursor", "watch"].map((name) =>
      claims(`attribution/${name}`),
    ),
    tests: tests(...["claim", "sync-cursor", "watch"].map((name) => `claims/attribution/${name}`)),
  },
  {
    name: "ownership",
    mutate: ["ownership", "claim-store", "record", "recording-limit"].map(claims),
    tests: tests(
      "claims/record",
      "sending/outbox/attempts.integration",
      ...["ownership", "rebinding", "await-rows", "other-chain", "record"].map(
        (name) => `claims/${name}.integration`,
      ),
    ),
  },
  {
    name: "operations",
    mutate: ["amounts", "prepare", "present", "get"].map((name) => `src/operations/${name}.ts`),
    tests: tests(
      "operations/present",
      "operations/amounts",
      "calldata/inputs",
      "operations/get.integration",
      "operations/cash-deposits.integration",
    ),
  },
  {
    name: "webhooks-post",
    mutate: ["pause", "schedule", "target", "sign", "attempt", "connection", "post"].map(webhooks),
    tests: tests(...["pause", "target", "post"].map((name) => `webhooks/${name}`)),
  },
  {
    name: "webhooks-delivery",
    mutate: ["deliver", "deliveries", "input", "webhooks"].map(webhooks),
    tests: tests(
      "webhooks/input",
      ...["pending", "endpoints", "deliver", "slow"].map((name) => `webhooks/${name}.integration`),
    ),
  },
  {
    name: "projection",
    mutate: ["fills", "compare", "key-rows"].map(writer),
    tests: tests("events/fills", "events/compare", "events/rows.integration"),
  },
  {
    name: "projection-steps",
    mutate: ["source", "write"].map(writer),
    tests: tests(...["log", "rows", "rows-filled", "statements"].map((name) => `events/${name}.integration`)),
  },
  {
    name: "events-stream",
    mutate: [...["access", "frames", "slots"].map(streams), ...["feed", "reader", "stream"].map(stream)],
    tests: tests(
      ...["feed", "reader", "stream"].map((name) => `events/stream/${name}`),
      "market/stream/stream",
    ),
  },
  {
    name: "price-stream",
    mutate: ["src/market/stream/stream.ts"],
    tests: tests("market/stream/stream"),
  },
  {
    name: "http",
    mutate: ["target", "arguments", "envelope", "failures", "kept-answers", "static-files", "health"].map(
      http,
    ),
    tests: tests(
      ...["target", "arguments", "envelope", "failures", "kept-answers", "static-files", "health"].map(
        (name) => `http/${name}`,
      ),
    ),
  },
  {
    name: "http-server",
    mutate: ["routes", "body", "client-error", "server"].map(http),
    tests: tests(
      "http/body",
      "http/client-error",
      "http/routes",
      "http/health",
      "http/server-stop",
      "http/server",
      "http/connections",
    ),
  },
  {
    name: "indexer",
    mutate: INDEXER.map(indexer),
    tests: tests(...INDEXER.map((name) => `indexer/${name}`)),
  },
  {
    name: "reconcile",
    mutate: ["difference", "report", "receipts"].map((name) => `packages/admin/src/reconcile/${name}.ts`),
    tests: ["reconcile-report", "receipts"].map((name) => `packages/admin/test/${name}.test.ts`),
  },
  {
    name: "client",
    mutate: [
      "sse",
      "retry",
      "webhook",
      "options",
      "answer",
      "errors",
      "deadline",
      "body",
      "call",
      "request",
      "resource",
      "signed-headers",
    ].map(client),
    tests: clientTests("webhook", "options", "signing", "body", "retries", "answers", "event-stream"),
  },
  {
    name: "client-stream",
    mutate: ["transport", "wait-for", "stream", "event-stream", "prices"].map(client),
    tests: clientTests("retries", "answers", "event-stream"),
  },
];

/** Returns the group that run.mjs started this process for. */
export function chosenGroup() {
  const group = GROUPS.find(({ name }) => name === process.env.MUTATION_GROUP);
  if (!group) throw new Error("MUTATION_GROUP names no group: start with npm run test:mutation");
  return group;
}
