import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { type Endpoint, endpointsOf } from "../../src/context/endpoint.ts";
import { hash, refuse, text } from "../../src/context/input/fields.ts";
import type { RequestContext } from "../../src/context/request.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { refusal } from "../support/assert/errors.ts";

const endpoint = endpointsOf({ name: "Test", description: "Of a test." });
const HASH = `0x${"Ab".repeat(32)}`;
const scope = { chainId: 1, productType: "Stocks" };
const context = { scope, caller: null, indexedBlock: null } as unknown as RequestContext;
const txHash = { txHash: null, status: "disabled" } as const;

/** Returns a POST endpoint that answers with its argument. */
const echo = (before?: (context: RequestContext, args: object) => void | Promise<void>): Endpoint =>
  endpoint({
    method: "POST",
    path: "/echo",
    field: "Mutation.recordOrderTransaction",
    title: "Echo",
    input: z.object({ txHash: hash }),
    ...(before ? { before } : {}),
    resolve: (_context, input) => Object(input),
  });

describe("an endpoint", () => {
  it("has its input checked once, before it is resolved", () => {
    expect(echo().resolve(context, { txHash: HASH })).toEqual({ txHash: HASH.toLowerCase() });
    expect(refusal(() => echo().resolve(context, { txHash: "0x1" }))).toEqual({
      errCode: "VALIDATION_FAILED",
      param: "txHash",
    });
  });

  it("refuses what stands before its input first, also where that takes time", async () => {
    const early = new ApiError("USER_NOT_BOUND");
    const seen: object[] = [];
    for (const before of [
      (_context: RequestContext, args: object) => {
        seen.push(args);
        throw early;
      },
      () => Promise.reject(early),
    ]) {
      await expect(echo(before).resolve(context, { txHash: "0x1" })).rejects.toBe(early);
    }
    expect(seen).toEqual([{ txHash: "0x1" }]);
    await expect(echo(() => undefined).resolve(context, { txHash: "0x1" })).rejects.toMatchObject({
      errCode: "VALIDATION_FAILED",
    });
  });

  it("refuses a dashboard that names no scope before its input", () => {
    const missing = refuse("x-api-chain-id", "must name a configured chain");
    const nowhere = Object.defineProperty({ ...context }, "scope", {
      get: () => {
        throw missing;
      },
    });
    expect(() => echo().resolve(nowhere, { txHash: "0x1" })).toThrow(missing);
  });

  it("costs a unit and refuses nothing of its own where that is left out, and takes no input", () => {
    const made = endpoint({
      method: "POST",
      path: "/plain",
      field: "Mutation.delegationDisable",
      title: "Test",
      resolve: () => txHash,
    });
    expect(made).toMatchObject({ cost: 1, refusals: [], input: null, tag: { name: "Test" } });
    expect(made.resolve(context, {})).toEqual(txHash);
  });
});

it("does not compile where it disagrees with the schema", () => {
  const route = { method: "POST", path: "/x", field: "Mutation.delegationDisable" } as const;
  // @ts-expect-error: a field is missing in the result
  endpoint({ ...route, resolve: () => ({ status: "disabled" }) });
  // @ts-expect-error: a word that the schema does not know
  endpoint({ ...route, resolve: async () => ({ ...txHash, status: "off" }) });
  // @ts-expect-error: null where the schema has none
  endpoint({ ...route, resolve: () => ({ ...txHash, status: null }) });
  // @ts-expect-error: no such field
  endpoint({ ...route, field: "Mutation.delegationRevoke", resolve: () => txHash });
  // @ts-expect-error: a mutation by GET
  endpoint({ ...route, method: "GET", resolve: () => txHash });
  const byId = { method: "GET", path: "/x/:orderId", field: "Query.order" } as const;
  const never = async () => Promise.reject(new Error("never"));
  // @ts-expect-error: an argument without a check
  endpoint({ ...byId, input: z.object({ txHash: text }), resolve: never });
  const ofNumber = (_context: RequestContext, _input: { orderId: number }) => never();
  // @ts-expect-error: a verb that takes other input than the check gives
  endpoint({ ...byId, input: z.object({ orderId: hash }), resolve: ofNumber });
  expect(route).toBeDefined();
});
