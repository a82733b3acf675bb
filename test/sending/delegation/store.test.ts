import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import {
  blockDelegation,
  chooseWallet,
  delegationOf,
  lockDelegation,
  lockDelegations,
  readDelegationRow,
  unblockDelegation,
  withUsableWallet,
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

describe("the wallet of a user that is to be enabled", () => {
  /** Returns a database whose row has the delegatee 0x0b, and the updates that it gets. */
  function databaseWith(wallet: { assignable: boolean } | null, wallets = ["0x0c"]) {
    const updates: unknown[] = [];
    let row = ROW;
    const prisma = {
      delegationLock: {
        findUnique: async () => row,
        updateMany: async (update: { where: unknown; data: { delegatee: string } }) => {
          updates.push(update);
          row = { ...row, delegatee: update.data.delegatee, blocked: true, epoch: row.epoch + 1 };
        },
      },
      delegateeWallet: {
        findUnique: async () => wallet,
        findMany: async () => wallets.map((address) => ({ address })),
      },
    } as unknown as PrismaClient;
    return { prisma, updates };
  }
  const row = { ...ROW, delegatee: "0x0b" } as const;

  it.each([{ assignable: true }, null])("stays where it was not retired: %j", async (wallet) => {
    const { prisma, updates } = databaseWith(wallet);
    expect(await withUsableWallet(prisma, scope, row)).toBe(row);
    expect(updates).toEqual([]);
  });

  it("is another one where it was retired: the delegation is blocked, and has a new epoch", async () => {
    const { prisma, updates } = databaseWith({ assignable: false });
    expect(await withUsableWallet(prisma, scope, row)).toEqual({
      delegatee: "0x0c",
      blocked: true,
      epoch: 4,
    });
    // Only while it is the retired one's: another request may have chosen meanwhile.
    const where = { chainId: 31337, productType: "Sandbox", userAddress: USER, delegatee: "0x0b" };
    expect(updates).toEqual([{ where, data: { delegatee: "0x0c", blocked: true, epoch: { increment: 1 } } }]);
  });

  it("is none where no wallet takes users", async () => {
    const { prisma } = databaseWith({ assignable: false }, []);
    await expectRefusal(withUsableWallet(prisma, scope, row), "OPERATOR_UNAVAILABLE");
  });
});

it("a delegation is read as every send reads it, and is null where there is none", async () => {
  expect(
    await readDelegationRow(
      fakePool(() => [ROW]),
      scope,
    ),
  ).toEqual(ROW);
  expect(
    await readDelegationRow(
      fakePool(() => []),
      scope,
    ),
  ).toBeNull();
});

describe("a delegation in a transaction", () => {
  it("is returned where it is locked, and is null where there is none", async () => {
    expect(await lockDelegation(await transaction(() => [ROW]), scope, "UPDATE")).toEqual(ROW);
    expect(await lockDelegation(await transaction(() => []), scope, "SHARE")).toBeNull();
  });

  it("is locked with others in one statement, and none is where there is none", async () => {
    const asked: (readonly unknown[])[] = [];
    const tx = await transaction((_text, values) => {
      asked.push(values);
      return [];
    });
    await lockDelegations(tx, []);
    expect(asked).toEqual([]);
    await lockDelegations(tx, [scope, { chainId: 1, productType: "Other", user: "0x0d" }]);
    expect(asked).toEqual([
      [
        [31337, 1],
        ["Sandbox", "Other"],
        [USER, "0x0d"],
      ],
    ]);
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
