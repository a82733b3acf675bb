import { beforeEach, expect, it } from "@jest/globals";
import { getOperation } from "../../src/operations/get.ts";
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
const get = (viewer: typeof caller | typeof all, operationId = ID) =>
  getOperation(deps, viewer, "stock-deposit", { operationId });
const isRefused = (read: Promise<unknown>) => expectRefusal(read, "OPERATION_NOT_FOUND");

beforeEach(async () => {
  await publisher(onchain)(20n, { stockOperation: [depositOf(0, 11n)] });
  await createClaim(pool, caller, { operationType: "stock-deposit", txHash: TX });
  await write();
});

it("an operation is found by its id, with the version and block of its key's rows", async () => {
  const { version, block } = await keyStateOf(pool, caller);
  const data = { operationId: ID, depositOperation: { amount: "1" }, mapping: { txHash: TX } };
  expect(await get(caller)).toMatchObject({ version, block, data });
  expect({ hasVersion: version !== "0", block: block.number }).toEqual({ hasVersion: true, block: 20n });
});

it("an operation is none of another key, product or kind, nor one of another id", async () => {
  for (const viewer of [other, { ...caller, productType: "none" }]) await isRefused(get(viewer));
  await isRefused(getOperation(deps, caller, "stock-withdraw", { operationId: ID }));
  await isRefused(get(caller, hex(32, 0xb001)));
});

it("an operation is found for dashboards, of whichever key, under no version", async () => {
  expect(await get(all)).toMatchObject({ version: null, data: { operationId: ID } });
});

it("an operation is INDEXER_BEHIND while the rows of its chain are not complete, and of a chain without rows", async () => {
  await expectRefusal(get({ ...caller, chainId: 1 }), "INDEXER_BEHIND");
  await pool.query("UPDATE app.event_chain SET filled = false");
  for (const viewer of [caller, other, all]) await expectRefusal(get(viewer), "INDEXER_BEHIND");
});

it("an operation that a reorg took back is there no more after the next step", async () => {
  await publisher(onchain)(20n, {});
  expect(await get(caller)).toMatchObject({ data: { operationId: ID } });
  await write();
  await isRefused(get(caller));
});
