import { beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { TRIGGERED_TYPES } from "../../packages/sandbox/src/control/trigger/causes.ts";
import { LONG } from "../support/assert/long.ts";
import { createControl } from "../support/http/control.ts";
import { partnerCommand } from "../support/program/partner-command.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** `partner-trading sandbox trigger`: every type of event arises, in the log of a key of this test alone. */
const state = readSandboxState();
const control = createControl(state.controlUrl);
const env = { PARTNER_TRADING_SANDBOX: state.controlUrl };
/** The contracts cancel no operation. */
const IMPOSSIBLE = "operation.canceled";
/** The log reports the first a minute later at most, and the second once it has lasted one: for the long form. */
const SLOW = ["key.expiring", "status.changed"];
const SLOW_MS = 180_000;
const LIMIT_MS = 60_000;

let apiKey: string;
beforeAll(async () => {
  ({ apiKey } = z.looseObject({ apiKey: z.string() }).parse(await control.post("/users", {})));
});

const trigger = (...args: string[]) => partnerCommand(["sandbox", "trigger", ...args], { env });

async function expectTriggered(type: string): Promise<void> {
  const { code, out, err } = await trigger(type, "--key", apiKey, "--json");
  expect({ type, code, err }).toEqual({ type, code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ type, eventId: expect.any(String), data: expect.any(Object) });
}

it.each(TRIGGERED_TYPES.filter((type) => type !== IMPOSSIBLE && !SLOW.includes(type)))(
  "%s",
  expectTriggered,
  LIMIT_MS,
);

if (LONG) it(SLOW.join(" and "), () => Promise.all(SLOW.map(expectTriggered)).then(() => undefined), SLOW_MS);

it(`${IMPOSSIBLE} is refused, with the reason`, async () => {
  expect(await trigger(IMPOSSIBLE, "--key", apiKey)).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("the contracts cancel no operation"),
  });
});

it("shows id, type and data, for the sandbox's own key where none is named", async () => {
  const { code, out } = await trigger("order.placed");
  expect({ code, event: JSON.parse(out) }).toEqual({
    code: 0,
    event: {
      eventId: expect.any(String),
      type: "order.placed",
      data: expect.objectContaining({ status: "New" }),
    },
  });
});

it("names the types, or the keys, where there is no such one", async () => {
  const wrongType = await trigger("order.lost");
  expect(wrongType).toMatchObject({ code: 1, out: "" });
  for (const type of TRIGGERED_TYPES) expect(wrongType.err).toContain(type);
  const wrongKey = await trigger("order.placed", "--key", "nobody");
  expect(wrongKey).toMatchObject({ code: 1, err: expect.stringContaining("trader-31337") });
  const reader = await trigger("order.placed", "--key", "reader-31337");
  expect(reader).toMatchObject({ code: 1, err: expect.stringContaining("READ_ONLY") });
  const unbound = await trigger("order.placed", "--key", "trader-31338");
  expect(unbound).toMatchObject({ code: 1, err: expect.stringContaining("is bound to no user") });
});
