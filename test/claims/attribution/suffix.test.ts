import { describe, expect, it } from "@jest/globals";
import { Interface } from "ethers";
import fc from "fast-check";
import { Attribution } from "ox/erc8021";
import { concat, type Hex, slice } from "viem";
import { hasOwnForm } from "../../../src/claims/attribution/form.ts";
import { operationTypeOf } from "../../../src/claims/attribution/kind.ts";
import {
  type AttributedCall,
  signAttribution,
  verifyAttribution,
} from "../../../src/claims/attribution/suffix.ts";
import type { AttributionKey } from "../../../src/context/deps.ts";
import { splitSuffix } from "../../../src/contracts/attribution-suffix.ts";
import { LATER, router } from "../../contracts/calls.ts";
import { LONG } from "../../support/assert/long.ts";
import { present } from "../../support/assert/until.ts";

const serverKey = (id: string, byte: number): AttributionKey => ({ id, key: new Uint8Array(32).fill(byte) });
const FIRST = serverKey("first", 1);
const SECOND = serverKey("second", 2);
const USER: Hex = "0x00000000000000000000000000000000000a11ce";
const STOCK: Hex = "0x0000000000000000000000000000000000000057";
const API_KEY = `pk_${"ab".repeat(16)}`;
const call: AttributedCall = {
  chainId: 31337,
  router: "0x1111111111111111111111111111111111111111",
  callData: router("placeMarketOrder", STOCK, 10n ** 18n, LATER),
};
const sign = (user: Hex | null = USER, keys = [FIRST]) =>
  signAttribution(keys, call, { apiKey: API_KEY, user });

describe("a suffix", () => {
  it("says whose call it is, and for which user", () => {
    expect(verifyAttribution([FIRST], call, sign())).toEqual({
      apiKey: API_KEY,
      user: USER,
      nonce: expect.stringMatching(/^0x[0-9a-f]{32}$/),
    });
    expect(verifyAttribution([FIRST], call, sign(null))).toMatchObject({ user: null });
  });

  it("is ERC-8021, schema 2, with the four fields of the contract", () => {
    const read = present(Attribution.fromData(concat([call.callData, sign()])), "an attribution");
    expect(read).toMatchObject({ id: 2, metadata: { k: API_KEY } });
    const sizes = Object.entries(read.metadata ?? {}).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? value.length : null,
    ]);
    expect(sizes).toEqual([
      ["k", null],
      ["u", 20],
      ["n", 16],
      ["m", 32],
    ]);
  });

  it("has the form of ours, whatever its key's id is; one of another application has another", () => {
    for (let length = 1; length <= 64; length += 1)
      for (const user of [USER, null]) {
        const suffix = signAttribution([FIRST], call, { apiKey: "~".repeat(length), user });
        expect({ length, user, isOurs: hasOwnForm(suffix) }).toEqual({ length, user, isOurs: true });
      }
    const others = [
      Attribution.toDataSuffix({ appCode: "abc" }),
      Attribution.toDataSuffix({ appCode: undefined, metadata: { k: API_KEY } }),
      `0x00${sign().slice(2)}`,
      `${sign()}00`,
      sign().replace("617554", "617654"),
    ];
    expect(others.filter(hasOwnForm)).toEqual([]);
  });

  it("is cut off where the call ends, and ethers reads the call with it behind", () => {
    const data = concat([call.callData, sign()]);
    expect(splitSuffix(data)?.callData).toBe(call.callData);
    const abi = new Interface([
      "function placeMarketOrder(address stockToken, int96 amount, uint32 deadline)",
    ]);
    expect(abi.parseTransaction({ data })?.args.toArray()).toEqual([STOCK, 10n ** 18n, BigInt(LATER)]);
  });

  it("is never the same twice", () => {
    expect(new Set(Array.from({ length: 50 }, () => sign())).size).toBe(50);
  });

  it("is refused with any bit changed", () => {
    const suffix = sign();
    const bits = (suffix.length - 2) * 4;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bits - 1 }), (bit) => {
        expect(verifyAttribution([FIRST], call, flip(suffix, bit))).toBeNull();
      }),
      { numRuns: bits },
    );
  });

  it("is refused for a call with any bit changed, and for any other chain or router", () => {
    const suffix = sign();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: (call.callData.length - 2) * 4 - 1 }), (bit) => {
        const other = { ...call, callData: flip(call.callData, bit) };
        expect(verifyAttribution([FIRST], other, suffix)).toBeNull();
      }),
    );
    for (const other of [
      { ...call, chainId: 31338 },
      { ...call, router: STOCK },
      { ...call, callData: "0x" as const },
      { ...call, callData: concat([call.callData, "0x00"]) },
    ]) {
      expect({ other, owner: verifyAttribution([FIRST], other, suffix) }).toEqual({ other, owner: null });
    }
  });

  it("is refused in another spelling of the same content", () => {
    const { metadata = {} } = present(Attribution.fromData(sign()), "an attribution");
    const { k, u, n, m } = metadata;
    const spellings = [
      { metadata: { m, n, u, k } },
      { metadata: { k, u, n, m, x: 1 } },
      { metadata, appCode: "other" },
      { metadata, serviceCodes: ["other"] },
    ];
    for (const spelling of spellings) {
      const suffix = Attribution.toDataSuffix({ appCode: undefined, ...spelling });
      expect({ spelling, owner: verifyAttribution([FIRST], call, suffix) }).toEqual({
        spelling,
        owner: null,
      });
    }
    // The canonical spelling, of which the others are variants, is accepted.
    const same = Attribution.toDataSuffix({ appCode: undefined, metadata });
    expect(verifyAttribution([FIRST], call, same)).not.toBeNull();
  });

  it("names a key in 1 to 64 printable characters, though it is signed", () => {
    const signedFor = (apiKey: string) =>
      verifyAttribution([FIRST], call, signAttribution([FIRST], call, { apiKey, user: USER }));
    for (const apiKey of ["k", "k".repeat(64)])
      expect({ owner: signedFor(apiKey) }).toMatchObject({ owner: { apiKey } });
    for (const apiKey of ["", "k".repeat(65), `${API_KEY}\nk`, `k\n${API_KEY}`, "ké"]) {
      expect({ apiKey, owner: signedFor(apiKey) }).toEqual({ apiKey, owner: null });
    }
  });

  it.each([
    ["u", 19],
    ["u", 21],
    ["n", 15],
    ["n", 17],
    ["m", 31],
    ["m", 33],
  ])("is refused where its field %s is of %i bytes", (field, length) => {
    const { metadata = {} } = present(Attribution.fromData(sign()), "an attribution");
    const changed = { ...metadata, [field]: new Uint8Array(length).fill(1) };
    const suffix = Attribution.toDataSuffix({ appCode: undefined, metadata: changed });
    expect(verifyAttribution([FIRST], call, suffix)).toBeNull();
  });

  it("may be anything at all without harm", () => {
    const MARKER = "0280218021802180218021802180218021";
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, marked) => {
        const size = bytes.length.toString(16).padStart(4, "0");
        const suffix = `0x${Buffer.from(bytes).toString("hex")}${marked ? `${size}${MARKER}` : ""}` as const;
        expect(verifyAttribution([FIRST], call, suffix)).toBeNull();
      }),
      { numRuns: LONG ? 500 : 150 },
    );
  });
});

describe("server keys", () => {
  it("are rotated: the first one signs, all of them verify", () => {
    const old = sign(USER, [FIRST]);
    const rotated = [SECOND, FIRST];
    expect(verifyAttribution(rotated, call, old)).not.toBeNull();
    const fresh = sign(USER, rotated);
    expect(verifyAttribution([SECOND], call, fresh)).not.toBeNull();
    expect(verifyAttribution([FIRST], call, fresh)).toBeNull();
    expect(verifyAttribution([SECOND], call, old)).toBeNull();
    expect(verifyAttribution([], call, old)).toBeNull();
  });

  it("are needed to sign", () => {
    expect(() => sign(USER, [])).toThrow("no key to sign attributions with");
  });
});

describe("what a call makes", () => {
  it.each([
    ["placeMarketOrder", "trade", [STOCK, 1n, LATER]],
    ["placeLimitOrder", "trade", [STOCK, 1n, 1n, 0, LATER]],
    ["depositAndMarketBuy", "trade", [STOCK, 1n, STOCK, 1n, LATER]],
    ["depositAndLimitBuy", "trade", [STOCK, 1n, STOCK, 1n, 1n, 0, LATER]],
    ["depositStockAndMarketSell", "trade", [STOCK, 1n, -1n, LATER]],
    ["depositStockAndLimitSell", "trade", [STOCK, 1n, -1n, 1n, 0, LATER]],
    ["deposit", "deposit", [STOCK, 1n]],
    ["withdraw", "withdraw", [STOCK, 1n]],
    ["depositStock", "stock-deposit", [STOCK, 1n]],
    ["withdrawStock", "stock-withdraw", [STOCK, 1n]],
    ["cancelLimitOrder", null, [`0x${"1".repeat(64)}`]],
  ] as const)("of %s is %s", (name, kind, args) => {
    expect(operationTypeOf(router(name, ...args))).toBe(kind);
  });

  it("is read from its selector alone", () => {
    expect(operationTypeOf(slice(call.callData, 0, 4))).toBe("trade");
    expect(operationTypeOf(slice(call.callData, 0, 3))).toBeNull();
  });

  it.each(["0x", "0x12", "0xdeadbeef"] as const)("of %s is nothing", (callData) => {
    expect(operationTypeOf(callData)).toBeNull();
  });
});

function flip(data: Hex, bit: number): Hex {
  const bytes = Buffer.from(data.slice(2), "hex");
  const index = bit >> 3;
  bytes[index] = (bytes[index] ?? 0) ^ (1 << (bit & 7));
  return `0x${bytes.toString("hex")}`;
}
