import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { authenticate } from "../../src/auth/authenticate.ts";
import { makeKey, makeRequest, makeRig, NOW, SECRET, type Signed } from "../support/http/auth.ts";

const PREVIOUS = "sk_test_0000000000000000000000000000000000";
const rotating = (until: number) =>
  makeKey({ previous: { secret: createSecretKey(Buffer.from(PREVIOUS)), until } });

describe("a key that is being rotated", () => {
  const { deps, claims } = makeRig({ stored: rotating(NOW + 1) });
  const call = (signed: Signed) => authenticate(deps, makeRequest(signed));

  it("accepts either signature, over both forms of the URI, and says which it was to the claim alone", async () => {
    const target = "/api/v1/orders?symbol=%41APL";
    const uris = [target, "/api/v1/orders?symbol=AAPL"];
    for (const uri of uris) {
      for (const secret of [SECRET, PREVIOUS]) {
        expect({ secret, result: await call({ target, uri, secret }) }).toMatchObject({
          secret,
          result: { ok: true },
        });
      }
    }
    expect({ isPrevious: claims.map(({ isPrevious }) => isPrevious) }).toEqual({
      isPrevious: [false, true, false, true],
    });
  });

  it("refuses any other as a key with one secret does", async () => {
    const alone = makeRig();
    for (const signed of [{ secret: "x" }, { secret: "" }, { headers: { "x-api-sign": "0".repeat(64) } }]) {
      const refused = await call(signed);
      expect(refused).toMatchObject({ ok: false, cause: "signature wrong" });
      expect(refused).toEqual(await authenticate(alone.deps, makeRequest(signed)));
    }
  });

  it("accepts one nonce once, whichever secret signs it", async () => {
    const nonce = "3f2b8a4e-6c1d-4b7a-9e5f-00000000000a";
    expect(await call({ nonce, secret: PREVIOUS })).toMatchObject({ ok: true });
    expect(await call({ nonce })).toMatchObject({ ok: false, cause: "nonce reused" });
  });

  it("refuses the previous secret from the end of the overlap on, and the new one never", async () => {
    const over = makeRig({ stored: rotating(NOW) });
    expect(await authenticate(over.deps, makeRequest({ secret: PREVIOUS }))).toMatchObject({
      ok: false,
      cause: "signature wrong",
    });
    expect(await authenticate(over.deps, makeRequest())).toMatchObject({ ok: true });
  });
});
