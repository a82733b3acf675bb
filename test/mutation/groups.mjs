// What is mutated, and the tests that are to notice. A mutant costs the loading of every test file of its group, so
// each group has the fewest files that cover it, the quickest first. Left out are loops and wiring that only whole
// processes run (sender/worker, sender/start, sender/metrics, outbox/bell, outbox/queue): the faults and end-to-end tests
// hold those. Left out too is what only whole APIs over whole chains test (send.ts): a mutant there costs half a minute.
const auth = (name) => `src/auth/${name}.ts`;
const transactions = (name) => `src/transactions/${name}.ts`;
const sender = (name) => transactions(`sender/${name}`);
const tests = (...names) => names.map((name) => `test/${name}.test.ts`);

const SENDER_TESTS = tests(
  ...["follow", "queue", "resubmit", "cycle"].map((name) => `transactions/sender/${name}.integration`),
);

export const GROUPS = [
  { name: "auth-address", mutate: [auth("ip")], tests: tests("auth/ip") },
  {
    name: "auth-checks",
    mutate: [...["headers", "signature", "scope"].map(auth), `${auth("authenticate")}:179-247`],
    tests: tests(
      ...["headers", "signature", "scope", "authenticate", "authenticate-refused", "rotation"].map(
        (name) => `auth/${name}`,
      ),
    ),
  },
  {
    name: "auth-limits",
    mutate: [
      ...["in-flight", "rate-limits"].map(auth),
      `${auth("authenticate")}:106-178`,
      `${auth("authenticate")}:248-280`,
    ],
    tests: tests("auth/authenticate", "auth/rate-limits"),
  },
  { name: "auth-secrets", mutate: [auth("secrets")], tests: tests("auth/secrets") },
  {
    name: "auth-database",
    mutate: [...["keys", "nonces"].map(auth), `${auth("authenticate")}:1-105`],
    tests: tests(
      "auth/keys",
      "auth/nonces",
      "auth/authenticate.integration",
      "auth/shared-limits.integration",
    ),
  },
  {
    name: "auth-admin",
    mutate: ["keys-admin", "rotation", "audit"].map(auth),
    tests: tests("auth/keys-admin.integration", "auth/rotation.integration"),
  },
  {
    name: "sender-decisions",
    mutate: ["answers", "care", "fees", "verdict"].map(sender),
    tests: tests("transactions/sender/answers", "transactions/decisions"),
  },
  { name: "sender-nodes", mutate: ["nodes", "rpc"].map(sender), tests: tests("transactions/sender/nodes") },
  {
    name: "sender-chain",
    mutate: ["follow", "agree", "replay", "cycle", "lease"].map(sender),
    tests: SENDER_TESTS,
  },
  {
    name: "sender-outgoing",
    mutate: ["queue", "sign", "unwanted", "store", "tend", "broadcast"].map(sender),
    tests: SENDER_TESTS,
  },
  {
    name: "outbox",
    mutate: [
      "submit",
      "find",
      "policy",
      "reply",
      "rows",
      "end",
      "enables",
      "delegation",
      "wait",
      "transaction",
    ].map((name) => transactions(`outbox/${name}`)),
    tests: tests(
      ...["find", "policy", "wait", "delegation", "transaction", "submit", "submit.integration"].map(
        (name) => `transactions/outbox/${name}`,
      ),
      "transactions/decisions",
      "transactions/outbox.integration",
    ),
  },
  {
    name: "signer",
    mutate: ["keystore", "load", "signer"].map((name) => transactions(`signer/${name}`)),
    tests: tests("transactions/signer", "transactions/signer/keystore", "transactions/signer/load"),
  },
  {
    name: "attribution-suffix",
    mutate: ["suffix", "kind"].map((name) => transactions(`attribution/${name}`)),
    tests: tests("transactions/attribution/suffix"),
  },
  {
    name: "attribution-claims",
    mutate: ["claim", "place", "watch"].map((name) => transactions(`attribution/${name}`)),
    tests: tests(...["claim", "place", "watch"].map((name) => `transactions/attribution/${name}`)),
  },
  {
    name: "ownership",
    mutate: ["ownership", "claims", "record", "recording-limit"].map(transactions),
    tests: tests(
      "transactions/record",
      ...["attempts", "ownership", "record"].map((name) => `transactions/${name}.integration`),
    ),
  },
];

/** Returns the group that run.mjs started this process for. */
export function chosenGroup() {
  const group = GROUPS.find(({ name }) => name === process.env.MUTATION_GROUP);
  if (!group) throw new Error("MUTATION_GROUP names no group: start with npm run test:mutation");
  return group;
}
