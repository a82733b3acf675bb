import { expect, it } from "@jest/globals";
import { NotYetError, until } from "../assert/until.ts";
import type { Partner } from "./partner.ts";
import { startSteadyReads } from "./steady-reads.ts";

const ORDER_ID = `0x${"1".repeat(64)}`;

/** Returns a client of a service whose database fails the calls with the given numbers. */
function startService(isRefused: (call: number) => boolean): Partner {
  let calls = 0;
  const get = async (path: string) => {
    const headers = new Headers({ "x-indexed-block": "7" });
    if (isRefused(calls++))
      return { status: 503, headers, body: { code: 503, errCode: "DATABASE_UNAVAILABLE", data: null } };
    const rows = path === "/events" ? [] : [{ orderId: ORDER_ID }];
    return { status: 200, headers, body: { code: 200, data: { rows, nextCursor: null } } };
  };
  const must = async (answer: ReturnType<typeof get>) => {
    const { body } = await answer;
    if (body.code !== 200) throw new NotYetError(JSON.stringify(body));
    return body.data;
  };
  return { get, must } as unknown as Partner;
}

async function readFrom(service: Partner, answers: number): Promise<string[]> {
  const reads = startSteadyReads(service, { orderId: ORDER_ID, user: "0x1" });
  await until("there are answers", () => reads.answered() >= answers);
  return reads.stop();
}

it("repeats what a database did not answer in time, now and then", async () => {
  // The first call of each read.
  expect(
    await readFrom(
      startService((call) => call < 4),
      9,
    ),
  ).toEqual([]);
});

it("reports a refusal that stands when repeated", async () => {
  const faults = await readFrom(
    startService((call) => call >= 10 && call < 20),
    15,
  );
  expect(faults).toContainEqual(expect.stringContaining("DATABASE_UNAVAILABLE"));
});

it("reports a service that it has to ask again and again", async () => {
  const faults = await readFrom(
    startService((call) => call % 2 === 0),
    15,
  );
  expect(faults.at(-1)).toMatch(/^\d+ reads were repeated, for \d+ answers$/);
});
