import { expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { notifyWork } from "../../../src/sending/outbox/submit-store.ts";
import { fakePool } from "../../support/sender/fake-outbox.ts";

const WALLET: Hex = `0x${"a".repeat(40)}`;
const OTHER: Hex = `0x${"b".repeat(40)}`;

it("notifies of requests that are committed together in one statement, which waits for no disk", async () => {
  const asked: [text: string, values: unknown][] = [];
  const pool = fakePool((text, values) => {
    asked.push([text, values]);
    return [];
  });
  await Promise.all([notifyWork(pool, 1, WALLET), notifyWork(pool, 1, WALLET), notifyWork(pool, 2, OTHER)]);
  expect(asked).toEqual([
    [expect.stringContaining("pg_notify('send_work'"), [[`1:${WALLET}`, `1:${WALLET}`, `2:${OTHER}`]]],
  ]);
  expect(asked[0]?.[0]).toContain("set_config('synchronous_commit', 'off', true)");
});

it("says that it failed", async () => {
  const pool = fakePool(() => {
    throw new Error("gone");
  });
  await expect(notifyWork(pool, 1, WALLET)).rejects.toThrow("gone");
});
