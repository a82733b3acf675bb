import type { Covering, Mutant } from "../mutant.ts";

const STORE = "src/sending/retirement/store.ts";
const job = (name: string): Covering => ({
  file: "test/sending/retirement/job.integration.test.ts",
  name,
});

const LOST = "src/sending/retirement/lost-key-store.ts";
const lost = (name: string): Covering => ({
  file: "packages/admin/test/wallets-key-lost.integration.test.ts",
  name,
});

export const RETIREMENT: readonly Mutant[] = [
  {
    id: "lost-key-lease",
    file: LOST,
    title: "no worker takes the lease of a wallet whose key is lost",
    find: "lease_until = 'infinity'",
    replace: "lease_until = '-infinity'",
    tests: [lost("signs nothing when the key comes back")],
  },
  {
    id: "lost-key-epoch",
    file: LOST,
    title: "the worker of a wallet whose key is lost has no lease",
    find: "lease_epoch = lease_epoch + 1, lease_owner = ${KEY_LOST},",
    replace: "lease_owner = coalesce(lease_owner, ${KEY_LOST}),",
    tests: [lost("has stored nothing of a worker")],
  },
  {
    id: "lost-key-retired",
    file: LOST,
    title: "only a retired wallet is given up",
    find: " AND NOT assignable",
    replace: "",
    tests: [lost("was retired before")],
  },
  {
    id: "lost-key-signed",
    file: LOST,
    title: "what is signed keeps a wallet from being given up",
    find: "AND state IN ('signed', 'broadcast', 'mined')",
    replace: "AND state IN ('signed', 'mined')",
    tests: [lost("is not given up while something")],
  },
  {
    id: "lost-key-unsigned",
    file: LOST,
    title: "what has no nonce ends, too",
    find: "AND (state = 'accepted' OR ${raw(isReserved(\"r\"))})",
    replace: 'AND ${raw(isReserved("r"))}',
    tests: [lost("ends what it has not signed")],
  },
  {
    id: "lost-key-job",
    file: STORE,
    title: "nothing is queued at a wallet whose key is lost",
    find: "AND w.lease_owner IS DISTINCT FROM ${KEY_LOST}",
    replace: "AND ${KEY_LOST}::text IS NOT NULL",
    tests: [lost("left alone by the workers")],
  },
  {
    id: "retirement-driven",
    file: STORE,
    title: "nothing is queued at a wallet that no worker drives",
    find: " AND w.lease_until > now()",
    replace: "",
    tests: [job("wait for a worker")],
  },
  {
    id: "retirement-taken",
    file: STORE,
    title: "a retirement has one worker at a time",
    find: "AND r.next_at <= now()",
    replace: "",
    tests: [job("belong to one worker")],
  },
  {
    id: "retirement-overtaken",
    file: STORE,
    title: "a worker that was overtaken stores nothing",
    find: " AND run = ${run}`",
    replace: " AND ${run}::bigint IS NOT NULL`",
    tests: [job("belong to one worker")],
  },
  {
    id: "retirement-after",
    file: STORE,
    title: "a pass goes on after the last user that it checked",
    find: "AND (product_type, user_address) > (${afterProduct}, ${afterUser})",
    replace: "AND (${afterProduct}::text, ${afterUser}::text) IS NOT NULL",
    tests: [job("end where two find nobody")],
  },
  {
    id: "retirement-enabling",
    file: STORE,
    title: "an enable that has an undelegation behind it needs no other",
    find: "AND r.sequence > ended.last), false)",
    replace: "AND ended.last IS NOT NULL), false)",
    tests: [job("an enable that has its nonce")],
  },
  {
    id: "retirement-undelegating",
    file: STORE,
    title: "nothing is queued where an undelegation is under way",
    find: "AND r.state IN ('accepted', 'signed', 'broadcast', 'mined')), false) AS undelegating",
    replace: "AND r.state IN ('signed', 'broadcast', 'mined')), false) AS undelegating",
    tests: [job("undelegate each user once|make one undelegation")],
  },
  {
    id: "retirement-moving",
    file: STORE,
    title: "an enable of another wallet ends the delegation",
    find: "AND r.accepted_at > now() - interval '2 minutes'), false) AS moving",
    replace: "AND false), false) AS moving",
    tests: [job("is left alone")],
  },
  {
    id: "retirement-moving-for-long",
    file: STORE,
    title: "an enable that waits for long keeps no delegation to a retired wallet",
    find: "AND r.accepted_at > now() - interval '2 minutes'), false) AS moving",
    replace: "AND true), false) AS moving",
    tests: [job("is left alone")],
  },
  {
    id: "retirement-open",
    file: STORE,
    title: "an enable that is under way is looked at, also where the chain has no delegation",
    find: "AND e.operation = '1ct/enable' AND e.state IN ('accepted', 'signed', 'broadcast', 'mined')) AS is_open",
    replace: "AND false) AS is_open",
    tests: [job("an enable that has its nonce")],
  },
  {
    id: "retirement-unsettled",
    file: STORE,
    title: "the next pass waits for what is not final",
    find: "AND state IN ('accepted', 'signed', 'broadcast', 'mined')) AS has_open",
    replace: "AND false) AS has_open",
    tests: [job("end where two find nobody")],
  },
];
