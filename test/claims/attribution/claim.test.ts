import { describe, expect, it } from "@jest/globals";
import { concat, type Hex, TransactionNotFoundError } from "viem";
import { attribute, attributeByNode, findAttributedKey } from "../../../src/claims/attribution/claim.ts";
import { signAttribution } from "../../../src/claims/attribution/suffix.ts";
import type { Deps } from "../../../src/context/deps.ts";
import type { PrismaClient } from "../../../src/db/generated/client.ts";
import { fakePool } from "../../support/sender/fake-outbox.ts";

const attributionKeys = [{ id: "one", key: new Uint8Array(32).fill(1) }];
const ROUTER: Hex = "0x1111111111111111111111111111111111111111";
const USER: Hex = "0x00000000000000000000000000000000000a11ce";
const OTHER: Hex = "0x0000000000000000000000000000000000000b0b";
const CALL: Hex = "0x12345678";
const HASH: Hex = `0x${"ab".repeat(32)}`;
const scope = { chainId: 31337, productType: "Sandbox" };
const suffixFor = (user: Hex | null) =>
  signAttribution(attributionKeys, { ...scope, router: ROUTER, callData: CALL }, { apiKey: "ak", user });
const named = fakePool(() => [{ key_id: "k" }]);
const nobody = fakePool(() => []);
const untouched = fakePool(() => {
  throw new Error("wrote to the database");
});

describe("a transaction with a suffix", () => {
  const attributed = (suffix: Hex, from = USER, pool = named) =>
    attribute({ pool, attributionKeys }, ROUTER, { ...scope, txHash: HASH, from, callData: CALL, suffix });

  it("is the key's that the suffix names, from the user that it names", async () => {
    expect(await attributed(suffixFor(USER))).toBe("k");
    expect(await attributed(suffixFor(null), OTHER)).toBe("k");
    expect(await attributed(suffixFor(USER), USER, nobody)).toBeNull();
  });

  it("is nobody's from another user, or with a suffix that names no key, which is written", async () => {
    for (const [from, keys] of [
      [OTHER, named],
      [USER, nobody],
    ] as const) {
      const written: string[] = [];
      const pool = fakePool((text) => {
        if (text.includes("invalid_attribution")) written.push(text);
        return text.includes("invalid_attribution") || keys === nobody ? [] : [{ key_id: "k" }];
      });
      const owner = await attributed(suffixFor(USER), from, pool);
      expect({ from, owner, writes: written.length }).toEqual({ from, owner: null, writes: 1 });
    }
  });

  it("is nobody's with a suffix of another form, and nothing is written", async () => {
    expect(await attributed("0x1234", USER, untouched)).toBeNull();
  });
});

describe("a transaction that a node knows", () => {
  const asked = (transaction: { to: Hex | null; input: Hex } | null, pool = named) => {
    const node = {
      getTransaction: async ({ hash }: { hash: Hex }) => {
        if (!transaction) throw new TransactionNotFoundError({ hash });
        return { hash, from: USER.toUpperCase().replace("0X", "0x"), ...transaction };
      },
    };
    const products = [{ productType: scope.productType, contracts: { stockRouter: ROUTER } }];
    const deps = {
      pool,
      attributionKeys,
      deployments: { chains: [{ chainId: scope.chainId, products }] },
      chains: new Map([[scope.chainId, { nodes: [node] }]]),
    } as unknown as Deps;
    return attributeByNode(deps, scope, HASH);
  };
  const input = concat([CALL, suffixFor(USER)]);

  it("is attributed where it goes straight to the router, with a suffix", async () => {
    expect(await asked({ to: ROUTER, input })).toBe("k");
  });

  it("is nobody's where no node knows it, it goes elsewhere, or has no suffix", async () => {
    for (const transaction of [
      null,
      { to: OTHER, input },
      { to: null, input },
      { to: ROUTER, input: CALL },
    ]) {
      expect({ transaction, owner: await asked(transaction, untouched) }).toEqual({
        transaction,
        owner: null,
      });
    }
  });
});

it("the key of a transaction is found where it was verified", async () => {
  const stored = (found: { keyId: string } | null) => {
    const findUnique = async ({ where }: { where: unknown }) => {
      expect(where).toEqual({ chainId_txHash: { chainId: 31337, txHash: HASH } });
      return found;
    };
    return { transactionAttribution: { findUnique } } as unknown as PrismaClient;
  };
  expect(await findAttributedKey(stored({ keyId: "k" }), 31337, HASH)).toBe("k");
  expect(await findAttributedKey(stored(null), 31337, HASH)).toBeNull();
});
