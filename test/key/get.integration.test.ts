import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { getKey } from "../../src/key/get.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { setPolicy } from "../support/db/builders/keys.ts";
import { createSends, createWallet } from "../support/db/builders/sends.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";

const USER = hex(20, 0xa1);
const WALLET = hex(20, 0xde);
const WAD = 10n ** 18n;

let features: Features;
let caller: Caller;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: 31337, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  caller = await features.makeCaller({ userAddress: USER });
});

afterAll(() => features?.close());

const read = () => getKey(features.deps, caller);

describe("GET /key", () => {
  it("tells a key without a policy what it is, and that it may send anything", async () => {
    expect(await read()).toEqual({
      apiKey: caller.apiKey,
      name: "test",
      access: "WRITABLE",
      expiresAt: null,
      previousSecretUntil: null,
      scopes: [{ chainId: 31337, productType: PRODUCT }],
      userAddress: getAddress(USER),
      limits: { windowSeconds: 10, reads: 100, writes: 50, inFlight: null },
      policy: {
        dailyNotionalCap: null,
        remaining: null,
        allowedSymbols: [],
        allowedOperations: [],
        expiresAt: null,
        killed: false,
      },
      cancelAfter: null,
    });
  });

  it("tells what is left of its cap, by the day's orders that may still reach the chain", async () => {
    const { pool } = features.deps;
    await setPolicy(pool, caller, {
      dailyNotionalCap: 100n * WAD,
      allowedSymbols: ["AAPL"],
      expiresAt: new Date(1_900_000_000_999),
      killed: true,
    });
    const policy = {
      dailyNotionalCap: "100",
      allowedSymbols: ["AAPL"],
      expiresAt: 1_900_000_000,
      killed: true,
    };
    expect((await read()).policy).toMatchObject({ ...policy, remaining: "100" });
    await createWallet(pool, WALLET);
    await createSends(
      ...([pool, caller] as const),
      { userAddress: USER, wallet: WALLET, notional: String(30n * WAD + 1n) },
      {
        userAddress: USER,
        wallet: WALLET,
        notional: String(50n * WAD),
        state: "failed",
        errCode: "OUT_OF_GAS",
      },
    );
    expect((await read()).policy).toMatchObject({ remaining: "69.999999999999999999" });
  });

  it("has nothing left where the cap was lowered below what is spent", async () => {
    await setPolicy(features.deps.pool, caller, { dailyNotionalCap: WAD });
    expect((await read()).policy).toMatchObject({ dailyNotionalCap: "1", remaining: "0" });
  });
});
