import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { concat, type Hex, size, slice } from "viem";
import type { AttributionKey } from "../../src/context/deps.ts";
import { decodeExecuteFor, encodeExecuteFor } from "../../src/sending/execute-for.ts";
import {
  buildTrailer,
  macsOf,
  type NameScope,
  openKeyIds,
  parseTrailer,
  type RequestNames,
  TRAILER_BYTES,
  type Trailer,
} from "../../src/sending/trailer.ts";
import { present } from "../support/assert/until.ts";

const serverKey = (id: string, byte: number): AttributionKey => ({ id, key: new Uint8Array(32).fill(byte) });
const FIRST = serverKey("first", 1);
const SECOND = serverKey("second", 2);
const SCOPE: NameScope = { keyId: randomUUID(), chainId: 31337, productType: "Sandbox" };
const NAMES: RequestNames = {
  idempotencyKey: "order-1",
  clientOrderId: "mine-1",
  inputHash: "ab".repeat(32),
};
const ABSENT: RequestNames = { ...NAMES, idempotencyKey: null, clientOrderId: null };
const USER: Hex = "0x00000000000000000000000000000000000a11ce";

const build = (names: RequestNames = NAMES, scope = SCOPE, keys = [FIRST]): Trailer =>
  present(parseTrailer(buildTrailer(keys, scope, names)), "a trailer");

describe("a trailer", () => {
  it("names the API key and the request, to whoever has the server key", () => {
    const trailer = build();
    expect(openKeyIds([FIRST], trailer)).toEqual([SCOPE.keyId]);
    expect([trailer.idempotencyMac]).toEqual(macsOf([FIRST], SCOPE, "idempotencyKey", "order-1"));
    expect([trailer.clientOrderMac]).toEqual(macsOf([FIRST], SCOPE, "clientOrderId", "mine-1"));
    expect([trailer.inputMac]).toEqual(macsOf([FIRST], SCOPE, "inputHash", NAMES.inputHash));
  });

  it("is the same for the same request, and has one length and no trace of what is absent", () => {
    expect(build()).toEqual(build());
    expect(size(buildTrailer([FIRST], SCOPE, ABSENT))).toBe(TRAILER_BYTES);
    const [one, other] = [build(ABSENT), build(ABSENT)];
    expect(one.idempotencyMac).not.toBe(other.idempotencyMac);
    expect(one.clientOrderMac).not.toBe(other.clientOrderMac);
    // The same key id is never sealed alike, so that observers cannot link requests.
    expect(one.sealedKeyId).not.toBe(other.sealedKeyId);
    expect(openKeyIds([FIRST], one)).toEqual([SCOPE.keyId]);
  });

  it("of a request that differs in one thing has another MAC in that place", () => {
    const scopes: NameScope[] = [
      { ...SCOPE, keyId: randomUUID() },
      { ...SCOPE, chainId: 31338 },
      { ...SCOPE, productType: "Other" },
    ];
    for (const scope of scopes) {
      const other = build(NAMES, scope);
      for (const field of ["idempotencyMac", "clientOrderMac", "inputMac"] as const)
        expect(other[field]).not.toBe(build()[field]);
    }
    // A name of one kind does not count as another.
    const same = build({ ...NAMES, clientOrderId: "order-1" });
    expect(same.clientOrderMac).not.toBe(same.idempotencyMac);
    expect(build({ ...NAMES, inputHash: "cd".repeat(32) })).toMatchObject({
      idempotencyMac: build().idempotencyMac,
      inputMac: expect.not.stringMatching(build().inputMac),
    });
  });

  it("is read under a server key that was current when it was built", () => {
    const before = build();
    const rotated = [SECOND, FIRST];
    expect(build(NAMES, SCOPE, rotated)).not.toEqual(before);
    expect(openKeyIds(rotated, before)).toContain(SCOPE.keyId);
    expect(macsOf(rotated, SCOPE, "idempotencyKey", "order-1")).toContain(before.idempotencyMac);
    expect(openKeyIds([SECOND], before)).not.toContain(SCOPE.keyId);
    expect(() => buildTrailer([], SCOPE, NAMES)).toThrow("no server key");
  });

  it("of another length or version is none", () => {
    const bytes = buildTrailer([FIRST], SCOPE, NAMES);
    expect(parseTrailer(slice(bytes, 1))).toBeNull();
    expect(parseTrailer(concat([bytes, "0x00"]))).toBeNull();
    expect(parseTrailer(concat(["0x02", slice(bytes, 1)]))).toBeNull();
  });
});

describe("the data of a call for a user", () => {
  it("is read as it was written, and with any byte changed behind the arguments' end only by its trailer", () => {
    const anyCall = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(anyCall, (bytes) => {
        const routerCall: Hex = `0x${Buffer.from(bytes).toString("hex")}`;
        const trailer = buildTrailer([FIRST], SCOPE, ABSENT);
        const data = encodeExecuteFor(USER, routerCall, trailer);
        expect(decodeExecuteFor(data)).toEqual({ user: USER, routerCall, trailer: parseTrailer(trailer) });
        const bare = slice(data, 0, size(data) - TRAILER_BYTES);
        expect(decodeExecuteFor(bare)).toEqual({ user: USER, routerCall, trailer: null });
        const others = [concat([data, "0x00"]), slice(data, 0, -1), concat([bare, "0x01"])];
        expect(others.filter((other) => decodeExecuteFor(other) !== null)).toEqual([]);
      }),
    );
  });

  it("in a second spelling is not read", () => {
    const data = encodeExecuteFor(USER, "0x0102", buildTrailer([FIRST], SCOPE, NAMES));
    // The padding of the user's address, and of the call.
    for (const at of [5, 4 + 3 * 32 + 31]) {
      const changed = concat([slice(data, 0, at), "0x01", slice(data, at + 1)]);
      expect({ at, decoded: decodeExecuteFor(changed) }).toEqual({ at, decoded: null });
    }
    const others = ["0x", "0x01", `0x${"ab".repeat(40)}`] as const;
    expect(others.filter((other) => decodeExecuteFor(other) !== null)).toEqual([]);
  });
});
