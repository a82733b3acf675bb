import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import {
  blockDelegation,
  chooseWallet,
  delegationOf,
  lockDelegation,
  unblockDelegation,
} from "../../../src/sending/delegation/store.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { type Answer, fakePool } from "../../support/sender/fake-outbox.ts";

const USER: Hex = "0x0a";
const scope = { chainId: 31337, productType: "Sandbox", user: USER };
const ROW = { delegatee: "0x0b", blocked: false, epoch: 3 };
/** Returns a database that has the row, whatever is written to it, and these wallets. */
const fakePrisma = (row: typeof ROW | null, wallets: readonly string[]) =>
  ({
    delegationLock: { findUnique: async () => row, createMany: async () => ({ count: 0 }) },
    delegateeWallet: { findMany: async () => wallets.map((address) => ({ address })) },
  }) as unknown as PrismaClient;
const transaction = (answer: Answer) => fakePool(answer).connect();

describe("a user's wallet", () => {
  it("stays, also when no wallet takes users any more", async () => {
    expect(await delegationOf(fakePrisma(ROW, []), scope)).toEqual(ROW);
    await expectRefusal(delegationOf(fakePrisma(null, []), scope), "OPERATOR_UNAVAILABLE");
  });

  it("is an error of ours where its row is gone as soon as it was made", async () => {
    const prisma = fakePrisma(null, ["0x0b"]);
    await expect(delegationOf(prisma, scope)).rejects.toThrow("a delegation vanished while it was made");
  });

  it("is the one that the user ranks highest", () => {
    const wallets: Hex[] = ["0x01", "0x02", "0x03", "0x04"];
    const rank = (wallet: Hex) => createHash("sha256").update(`${USER}/${wallet}`).digest("hex");
    const [highest] = wallets
      .map((wallet) => ({ wallet, rank: rank(wallet) }))
      .sort((a, b) => (a.rank < b.rank ? 1 : -1));
    expect(chooseWallet(USER, wallets)).toBe(highest?.wallet);
  });
});

describe("a delegation in a transaction", () => {
  it("is returned where it is locked, and is null where there is none", async () => {
    expect(await lockDelegation(await transaction(() => [ROW]), scope, "UPDATE")).toEqual(ROW);
    expect(await lockDelegation(await transaction(() => []), scope, "SHARE")).toBeNull();
  });

  it("is blocked with its new epoch, and must be there", async () => {
    expect(await blockDelegation(await transaction(() => [{ epoch: 4 }]), scope)).toBe(4);
    await expect(blockDelegation(await transaction(() => []), scope)).rejects.toThrow(
      "no delegation to block",
    );
  });

  it("is unblocked for the epoch of the enable", async () => {
    const asked: (readonly unknown[])[] = [];
    const tx = await transaction((_text, values) => {
      asked.push(values);
      return [];
    });
    await unblockDelegation(tx, scope, 4);
    expect(asked).toEqual([[31337, "Sandbox", USER, 4]]);
  });
});
