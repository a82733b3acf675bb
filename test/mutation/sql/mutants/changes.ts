import type { Covering, Mutant } from "../mutant.ts";

// Statements of src/changes: the lease of a chain's reader, and the position of the index.

const LEASE = "src/changes/lease-store.ts";
const POSITION = "src/changes/position-store.ts";

const reader: Covering = { file: "test/changes/reader.integration.test.ts" };

export const CHANGES: readonly Mutant[] = [
  {
    id: "reader-lease-held",
    file: LEASE,
    title: "a chain's lease that another worker holds is not taken",
    find: "WHERE r.lease_owner IS NULL OR r.lease_until < now() OR r.lease_owner = excluded.lease_owner",
    replace: "WHERE true",
    tests: [reader],
  },
  {
    id: "reader-lease-ends",
    file: LEASE,
    title: "the lease of a reader that died ends",
    find: " OR r.lease_until < now() OR",
    replace: " OR",
    tests: [reader],
  },
  {
    id: "reader-lease-renewed",
    file: LEASE,
    title: "a reader renews its lease before that ends",
    find: " OR r.lease_owner = excluded.lease_owner\n",
    replace: "\n",
    tests: [reader],
  },
  {
    id: "reader-lease-epoch",
    file: LEASE,
    title: "a lease that changes hands has a new epoch",
    find: "THEN 0 ELSE 1 END",
    replace: "THEN 0 ELSE 0 END",
    tests: [reader],
  },
  {
    id: "reader-lease-released",
    file: LEASE,
    title: "a reader that stops gives back its own lease alone",
    find: "WHERE chain_id = ${chainId} AND lease_owner = ${owner}`",
    replace: "WHERE chain_id = ${chainId} AND ${owner}::uuid IS NOT NULL`",
    tests: [reader],
  },
  {
    id: "reader-position-chain",
    file: POSITION,
    title: "the position is one chain's",
    find: "WHERE chain_id = ${chainId}`",
    replace: "WHERE ${chainId}::int IS NOT NULL`",
    tests: [reader],
  },
];
