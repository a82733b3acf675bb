import { beforeEach, expect, it } from "@jest/globals";
import { findOperation } from "../../src/operations/find.ts";
import { useLog } from "../events/log-fixture.ts";
import { depositOf, publisher, TX } from "../events/rows-fixture.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { keyStateOf } from "../support/db/projected.ts";

// Single operations among what keys see.

const { features, onchain, deps, callers, write } = await useLog();
const { pool } = features.deps;
const [caller, other] = [present(callers[0], "a caller"), present(callers[1], "another caller")];
const ID = present(depositOf(0, 11n).opId, "an id");
const all = { ...caller, keyId: null };
const find = (viewer: typeof caller | typeof all, id = ID) =>
  findOperation(deps, viewer, "stock-deposit", id);

beforeEach(async () => {
  await publisher(onchain)(20n, { stockOperation: [depositOf(0, 11n)] });
  await createClaim(pool, caller, { operationType: "stock-deposit", txHash: TX });
  await write();
});

it("an operation is found by its id, with the version and block of its key's rows", async () => {
  const { version, block } = await keyStateOf(pool, caller);
  const data = { operationId: ID, depositOperation: { amount: "1" }, mapping: { txHash: TX } };
  expect(await find(caller)).toMatchObject({ version, block, data });
  expect([version !== "0", block.number]).toEqual([true, 20n]);
});

it("an operation is none of another key, product or kind, nor one of another id", async () => {
  for (const viewer of [other, { ...caller, productType: "none" }]) expect(await find(viewer)).toBe(null);
  expect(await findOperation(deps, caller, "stock-withdraw", ID)).toBe(null);
  expect(await find(caller, hex(32, 0xb001))).toBe(null);
});

it("an operation is found for dashboards, of whichever key, under no version", async () => {
  expect(await find(all)).toMatchObject({ version: null, data: { operationId: ID } });
});

it("an operation is INDEXER_BEHIND while the rows of its chain are not complete, and of a chain without rows", async () => {
  await expectRefusal(find({ ...caller, chainId: 1 }), "INDEXER_BEHIND");
  await pool.query("UPDATE app.event_chain SET filled = false");
  for (const viewer of [caller, other, all]) await expectRefusal(find(viewer), "INDEXER_BEHIND");
});

it("an operation that a reorg took back is there no more after the next step", async () => {
  await publisher(onchain)(20n, {});
  expect(await find(caller)).not.toBe(null);
  await write();
  expect(await find(caller)).toBe(null);
});
