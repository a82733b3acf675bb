import { afterAll, describe, expect, it } from "@jest/globals";
import { specRows } from "../support/assert/spec.ts";
import { authentication } from "./spec/authentication.ts";
import type { Cases } from "./spec/case.ts";
import { control, release, releaseBuffers } from "./spec/context.ts";
import { errors, limits } from "./spec/errors.ts";
import { market } from "./spec/market.ts";
import { movements } from "./spec/movements.ts";
import { oneClick } from "./spec/one-click.ts";
import { orders } from "./spec/orders.ts";
import { states } from "./spec/states.ts";

/**
 * The specification, sections 3, 4, 5, 7 and 8, row by row (test/vectors/spec.md holds it word for word): each row has at
 * least one case, which brings its condition about on the sandbox, asks as a partner would, and looks at what comes out.
 */
const cases: Cases = {
  ...states,
  ...market,
  ...orders,
  ...movements,
  ...oneClick,
  ...authentication,
  ...errors,
  ...limits,
};

afterAll(async () => {
  await control("/mode", { mode: "auto" });
  await releaseBuffers();
  release();
});

it("has a case for every row of the specification, and no case without a row", () => {
  const rows = specRows.map(({ id }) => id);
  expect(new Set(rows).size).toBe(rows.length);
  expect(Object.keys(cases).sort()).toEqual([...rows].sort());
  expect(Object.keys(cases).filter((id) => cases[id]?.length === 0)).toEqual([]);
});

describe.each(specRows.map(({ id, text }) => [id, text] as const))("%s: %s", (id) => {
  it.each((cases[id] ?? []).map((one) => [one.condition, one] as const))("%s", async (_condition, one) => {
    const { request, outcome } = one;
    expect({ outcome: await request() }).toMatchObject({ outcome });
  });
});
