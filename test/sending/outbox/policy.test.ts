import { describe, expect, it } from "@jest/globals";
import { enforcePolicy, type PolicySubject, refusingPolicy } from "../../../src/sending/outbox/policy.ts";
import type { KeyPolicy } from "../../../src/sending/outbox/policy-store.ts";
import { expectRefusal } from "../../support/assert/errors.ts";
import { fakePool } from "../../support/sender/fake-outbox.ts";

const OPEN: KeyPolicy = {
  dailyNotionalCap: null,
  allowedSymbols: [],
  allowedOperations: [],
  expiresAtMs: null,
  killed: false,
};
const ORDER: PolicySubject = { keyId: "k", operation: "orders/send", symbol: "AAPL", notional: 60n };
const refusing = (policy: Partial<KeyPolicy>, subject: Partial<PolicySubject> = {}, spent = 0n) =>
  refusingPolicy({ ...OPEN, ...policy }, { ...ORDER, ...subject }, spent, 1_000);

describe("a policy", () => {
  it("holds until the millisecond of its end", () => {
    expect(refusing({ expiresAtMs: 1_001 })).toBeNull();
    expect(refusing({ expiresAtMs: 1_000 })).toBe("expiry");
    expect(refusing({ expiresAtMs: 999 })).toBe("expiry");
  });

  it("allows each of the symbols that it names, and what has none", () => {
    const allowedSymbols = ["MSFT", "AAPL"];
    expect(refusing({ allowedSymbols })).toBeNull();
    expect(refusing({ allowedSymbols }, { symbol: "TSLA" })).toBe("allowedSymbols");
    expect(refusing({ allowedSymbols }, { symbol: null, operation: "orders/cancel" })).toBeNull();
  });

  it.each(["orders/send", "orders/with-deposit/send"])("caps what %s spends on a day", (operation) => {
    const dailyNotionalCap = 100n;
    expect(refusing({ dailyNotionalCap }, { operation }, 40n)).toBeNull();
    expect(refusing({ dailyNotionalCap }, { operation }, 41n)).toBe("dailyNotionalCap");
    expect(refusing({ dailyNotionalCap }, { operation, unquoted: true })).toBe("unquoted");
  });
});

describe("the policy of a key", () => {
  const row = {
    daily_notional_cap: "100",
    allowed_symbols: [],
    allowed_operations: [],
    expires_at_ms: null,
    killed: false,
    is_day_counted: true,
  };
  const enforce = async (policy: object | null, spent: string, subject: Partial<PolicySubject> = {}) => {
    const pool = fakePool((text) => {
      if (text.includes("AS spent")) return [{ spent }];
      return policy ? [policy] : [];
    });
    return enforcePolicy(await pool.connect(), { ...ORDER, ...subject }, 1_000);
  };

  it("counts what the key spent on the day", async () => {
    await enforce(row, "40");
    await expectRefusal(enforce(row, "41"), "POLICY_REFUSED", "dailyNotionalCap");
    await enforce({ ...row, daily_notional_cap: null }, "1000");
    await enforce(null, "1000");
  });

  it("names the symbol that has no quote to value the order by", async () => {
    const refused = await expectRefusal(enforce(row, "0", { unquoted: true }), "MARKET_DATA_UNAVAILABLE");
    expect(refused.message).toContain("AAPL has no current quote");
  });
});
