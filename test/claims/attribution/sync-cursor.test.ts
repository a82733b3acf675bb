import { describe, expect, it } from "@jest/globals";
import { cursorScopeOf, readSyncCursor } from "../../../src/claims/attribution/sync-cursor.ts";
import type { PrismaClient } from "../../../src/db/generated/client.ts";

const key = (id: string, byte: number) => ({ id, key: new Uint8Array(32).fill(byte) });
const product = { chainId: 31337, productType: "Sandbox", router: "0x01", startBlock: 5 } as const;
const ground = cursorScopeOf([key("a", 1), key("b", 2)], product);

describe("what a cursor holds for", () => {
  it("is the same for the same keys in any order, whatever they are called", () => {
    expect(cursorScopeOf([key("b", 2), key("c", 1)], product)).toEqual(ground);
    expect(ground).toMatchObject(product);
    expect(ground.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is another with other keys, another router or another first block", () => {
    const others = [
      cursorScopeOf([key("a", 1)], product),
      cursorScopeOf([key("a", 1), key("b", 3)], product),
      cursorScopeOf([], product),
      cursorScopeOf([key("a", 1), key("b", 2)], { ...product, router: "0x02" }),
      cursorScopeOf([key("a", 1), key("b", 2)], { ...product, startBlock: 6 }),
    ].map((each) => each.fingerprint);
    expect(new Set([ground.fingerprint, ...others]).size).toBe(6);
  });
});

it("a cursor is read as it was written, and is null where there is none", async () => {
  const stored = (found: { blockNumber: bigint; transactionIndex: number; txHash: string } | null) => {
    const findUnique = async ({ where }: { where: unknown }) => {
      const { chainId, productType, fingerprint } = ground;
      expect(where).toEqual({ chainId_productType_ground: { chainId, productType, ground: fingerprint } });
      return found;
    };
    return { attributionPlace: { findUnique } } as unknown as PrismaClient;
  };
  const row = { blockNumber: 9_007_199_254_740_993n, transactionIndex: 3, txHash: "0xaa" };
  expect(await readSyncCursor(stored(row), ground)).toEqual({
    block: 9_007_199_254_740_993n,
    index: 3,
    txHash: "0xaa",
  });
  expect(await readSyncCursor(stored(null), ground)).toBeNull();
});
