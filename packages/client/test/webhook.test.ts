import { describe, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookVerificationError } from "../src/index.ts";

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(24, 8).toString("base64")}`;
const BODY = JSON.stringify({ eventId: "e1", sequence: 1, type: "order.filled", data: { symbol: "é" } });

/** Signs as the library of Standard Webhooks does. */
function signed(secret = SECRET, ageSeconds = 0, body = BODY): Record<string, string> {
  const at = new Date(Math.floor(Date.now() / 1000 - ageSeconds) * 1000);
  return {
    "webhook-id": "d1",
    "webhook-timestamp": String(at.getTime() / 1000),
    "webhook-signature": new Webhook(secret).sign("d1", at, body),
  };
}

describe("a webhook's request", () => {
  it.each([
    ["an object of Node.js, the body as text", signed(), BODY],
    ["Headers, the body as bytes", new Headers(signed()), new TextEncoder().encode(BODY)],
    [
      "names in capitals, a value as a list",
      { ...signed(), "Webhook-Id": ["d1"], "webhook-id": undefined },
      Buffer.from(BODY),
    ],
  ])("is taken where Standard Webhooks signed it: %s", async (_what, headers, body) => {
    await expect(verifyWebhook(SECRET, headers, body)).resolves.toEqual(JSON.parse(BODY));
  });

  it("is taken where one of several secrets or signatures fits, and in any version's company", async () => {
    const both = { ...signed(OTHER) };
    both["webhook-signature"] = `v1a,xyz ${both["webhook-signature"]} ${signed()["webhook-signature"]}`;
    await expect(verifyWebhook([SECRET], both, BODY)).resolves.toMatchObject({ sequence: 1 });
    await expect(verifyWebhook([OTHER, SECRET], signed(), BODY)).resolves.toMatchObject({ sequence: 1 });
    await expect(verifyWebhook(SECRET.slice("whsec_".length), signed(), BODY)).resolves.toMatchObject({
      sequence: 1,
    });
  });

  it.each([
    ["by another secret", signed(OTHER), BODY],
    ["over another body", signed(), BODY.replace("order.filled", "order.failed")],
    ["over a body that was parsed and written again", signed(SECRET, 0, `${BODY} `), BODY],
    ["under another id", { ...signed(), "webhook-id": "d2" }, BODY],
    [
      "at another time",
      { ...signed(), "webhook-timestamp": String(Math.floor(Date.now() / 1000) - 1) },
      BODY,
    ],
    ["long ago", signed(SECRET, 301), BODY],
    ["in the future", signed(SECRET, -302), BODY],
    ["at no time", { ...signed(), "webhook-timestamp": "NaN" }, BODY],
    [
      "in another version",
      { ...signed(), "webhook-signature": signed()["webhook-signature"]?.replace("v1,", "v2,") },
      BODY,
    ],
    ["by nobody", { ...signed(), "webhook-signature": "" }, BODY],
    ["without an id", { ...signed(), "webhook-id": undefined }, BODY],
  ])("is refused where it is signed %s", async (_what, headers, body) => {
    await expect(verifyWebhook(SECRET, headers, body)).rejects.toThrow(WebhookVerificationError);
  });

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "is refused without %s, and says so",
    async (name) => {
      await expect(verifyWebhook(SECRET, { ...signed(), [name]: undefined }, BODY)).rejects.toThrow(
        "A header of the webhook is missing",
      );
    },
  );

  it("has the first of a header's values", async () => {
    const headers = { ...signed(), "webhook-id": ["d1", "d2"] };
    await expect(verifyWebhook(SECRET, headers, BODY)).resolves.toMatchObject({ sequence: 1 });
  });

  it.each([
    ["before", (signature: string) => `x${signature}`],
    ["behind", (signature: string) => `${signature}x`],
  ])("is refused where a signature has more %s it", async (_where, changed) => {
    const headers = signed();
    const other = { ...headers, "webhook-signature": changed(headers["webhook-signature"] ?? "") };
    await expect(verifyWebhook(SECRET, other, BODY)).rejects.toThrow(WebhookVerificationError);
  });

  it("may be as old as the caller allows", async () => {
    await expect(
      verifyWebhook(SECRET, signed(SECRET, 400), BODY, { toleranceSeconds: 600 }),
    ).resolves.toBeDefined();
    await expect(verifyWebhook(SECRET, signed(SECRET, 40), BODY, { toleranceSeconds: 30 })).rejects.toThrow(
      /old/,
    );
  });

  it("is not judged by a secret that is none, which the complaint does not show; nor by none at all", async () => {
    const secret = "whsec_not base64!";
    const error = await verifyWebhook(secret, signed(), BODY).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain("not base64!");
    await expect(verifyWebhook(`!${SECRET}`, signed(), BODY)).rejects.toThrow(TypeError);
    await expect(verifyWebhook([], signed(), BODY)).rejects.toThrow(WebhookVerificationError);
    await expect(verifyWebhook("", signed(), BODY)).rejects.toThrow(TypeError);
  });
});
