import { describe, expect, it } from "@jest/globals";
import { type MasterKey, newSecret, openSecret, openSigningKey, sealSecret } from "../../src/auth/secrets.ts";

const KEY_ID = "11111111-1111-4111-8111-111111111111";
const SECRET = "sk_the-canary";
const older: MasterKey = { id: "2025", key: Buffer.alloc(32, 1) };
const newer: MasterKey = { id: "2026", key: Buffer.alloc(32, 2) };

it("newSecret makes 32 random bytes", () => {
  expect(newSecret()).toMatch(/^sk_[0-9a-f]{64}$/);
  expect(newSecret()).not.toBe(newSecret());
});

describe("sealSecret and openSecret", () => {
  it("refuse what is too short to hold a secret", () => {
    const sealed = Buffer.alloc(28);
    expect(() => openSecret([newer], KEY_ID, { sealed, masterKeyId: "2026" })).toThrow("too short");
    expect(() => openSecret([newer], KEY_ID, { sealed: sealed.subarray(1), masterKeyId: "2026" })).toThrow(
      "too short",
    );
  });

  it("give back what was sealed", () => {
    const sealed = sealSecret([newer], KEY_ID, SECRET);
    expect(openSecret([newer], KEY_ID, sealed).toString()).toBe(SECRET);
    expect(openSigningKey([newer], KEY_ID, sealed)?.export().toString()).toBe(SECRET);
  });

  it("open what an earlier version sealed, whatever the case of the key's id", () => {
    const keyId = "abcdefab-cdef-4abc-8def-abcdefabcdef";
    // AES-256-GCM under 32 bytes of 2 and an iv of 12 bytes of 3, bound to the id in lower case.
    const hex = "030303030303030303030303ddf5ce2ee5cd2485dd6bd90f3d1b9b99b696a45d7f9a5412bccb2542fb";
    const sealed = { sealed: Buffer.from(hex, "hex"), masterKeyId: "2026" };
    expect(openSecret([newer], keyId, sealed).toString()).toBe(SECRET);
    expect(openSecret([newer], keyId.toUpperCase(), sealed).toString()).toBe(SECRET);
  });

  it("hide the secret, and never the same way twice", () => {
    const first = sealSecret([newer], KEY_ID, SECRET);
    const second = sealSecret([newer], KEY_ID, SECRET);
    expect(Buffer.from(first.sealed).includes(SECRET)).toBe(false);
    expect(Buffer.from(first.sealed).equals(second.sealed)).toBe(false);
  });

  it("seal under the first master key and open under any: the way to replace one", () => {
    const before = sealSecret([older], KEY_ID, SECRET);
    expect(before.masterKeyId).toBe("2025");
    expect(openSecret([newer, older], KEY_ID, before).toString()).toBe(SECRET);
    const after = sealSecret([newer, older], KEY_ID, SECRET);
    expect(after.masterKeyId).toBe("2026");
    expect(openSecret([newer], KEY_ID, after).toString()).toBe(SECRET);
  });

  it("fail where the master key is gone, or another one goes by its name", () => {
    const sealed = sealSecret([older], KEY_ID, SECRET);
    expect(() => openSecret([newer], KEY_ID, sealed)).toThrow("master key 2025 is not configured");
    expect(() => openSecret([{ ...newer, id: "2025" }], KEY_ID, sealed)).toThrow();
    expect(openSigningKey([newer], KEY_ID, sealed)).toBeNull();
  });

  it("fail where any bit was changed, of iv, tag or ciphertext", () => {
    const { sealed, masterKeyId } = sealSecret([newer], KEY_ID, SECRET);
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => openSecret([newer], KEY_ID, { sealed: changed, masterKeyId })).toThrow();
      const opened = openSigningKey([newer], KEY_ID, { sealed: changed, masterKeyId });
      expect({ index, opened }).toEqual({ index, opened: null });
    }
  });

  it("fail where anything was cut off or added", () => {
    const { sealed, masterKeyId } = sealSecret([newer], KEY_ID, SECRET);
    for (const length of [0, 1, 12, 27, 28, sealed.length - 1]) {
      const opened = openSigningKey([newer], KEY_ID, { sealed: sealed.subarray(0, length), masterKeyId });
      expect({ length, opened }).toEqual({ length, opened: null });
    }
    const longer = Buffer.concat([sealed, Buffer.from([0])]);
    expect(openSigningKey([newer], KEY_ID, { sealed: longer, masterKeyId })).toBeNull();
  });

  it("fail in the row of another key", () => {
    const sealed = sealSecret([newer], KEY_ID, SECRET);
    const other = KEY_ID.replaceAll("1", "2");
    expect(openSigningKey([newer], other, sealed)).toBeNull();
  });

  it("need a master key", () => {
    expect(() => sealSecret([], KEY_ID, SECRET)).toThrow("no master key");
  });
});
