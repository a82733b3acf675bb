import { describe, expect, it } from "@jest/globals";
import { isSameHost, requireNotPaused, toPausedRefusal } from "../../src/webhooks/pause.ts";

const areSame = (one: string, other: string) => isSameHost(new URL(one), new URL(other));

describe("a paused host", () => {
  it.each([
    ["https://93.184.215.14/", "https://[::ffff:93.184.215.14]/"],
    ["https://93.184.215.14/", "https://[::FFFF:5DB8:D70E]:8443/x"],
    ["https://93.184.215.14/", "https://[0:0:0:0:0:ffff:93.184.215.14]/"],
    ["https://93.184.215.14/", "https://0x5db8d70e/"],
    ["https://93.184.215.14/", "https://93.184.215.14./"],
    ["https://[2606:2800:21f::1]/", "https://[2606:2800:021F:0:0:0:0:1]/"],
    ["https://[2606:2800:21f::1]/", "https://[2606:2800:21f:0::0.0.0.1]/"],
    ["https://desk.example/", "https://DESK.example.:8443/"],
  ])("is the same in another spelling: %s and %s", (one, other) => {
    expect(areSame(one, other)).toBe(true);
    expect(areSame(other, one)).toBe(true);
  });

  it.each([
    ["https://93.184.215.14/", "https://[2606:2800:21f::1]/"],
    ["https://93.184.215.14/", "https://93.184.215.15/"],
    // An address of its own, and none that is mapped.
    ["https://93.184.215.14/", "https://[::5db8:d70e]/"],
    ["https://desk.example/", "https://www.desk.example/"],
  ])("is not another one: %s and %s", (one, other) => {
    expect(areSame(one, other)).toBe(false);
  });
});

describe("a webhook that the operator has paused", () => {
  it("is refused, and one that is disabled otherwise is not", () => {
    expect(() => requireNotPaused({ disabledReason: "paused_by_operator" })).toThrow(
      expect.objectContaining({ errCode: "POLICY_REFUSED" }),
    );
    requireNotPaused({ disabledReason: "failing" });
    requireNotPaused({ disabledReason: null });
  });

  it("keeps new ones from its host, whose refusal names it", () => {
    const paused = [
      { webhookId: "one", url: "https://other.example/" },
      { webhookId: "two", url: "https://desk.example/hooks" },
    ];
    expect(toPausedRefusal(paused, new URL("https://DESK.example:8443/"))).toMatchObject({
      errCode: "POLICY_REFUSED",
      message: expect.stringContaining("webhook two,"),
    });
    expect(toPausedRefusal(paused, new URL("https://third.example/"))).toBeNull();
  });
});
