import { describe, expect, it } from "@jest/globals";
import { ENDPOINTS, STREAMS } from "../../../src/api/endpoints.ts";
import { buildApiSchema } from "../../../src/api/schema.ts";
import { clientMethodOf } from "../../../src/http/openapi/client-method.ts";
import { createDocument } from "../../../src/http/openapi/document.ts";

describe("the name of an operation in client libraries", () => {
  it.each([
    ["GET", "/config", false, "config.get"],
    ["GET", "/symbols", true, "symbols.list"],
    ["GET", "/prices/:symbol", false, "prices.get"],
    ["GET", "/prices/:symbol/history", true, "prices.history"],
    ["GET", "/users/:userId/balance", false, "users.balance"],
    ["GET", "/orders", true, "orders.list"],
    ["GET", "/orders/:orderId", false, "orders.get"],
    ["GET", "/orders/tx/:txHash", false, "orders.getByTxHash"],
    ["GET", "/orders/client/:clientOrderId", false, "orders.getByClientOrderId"],
    ["POST", "/orders/send", false, "orders.send"],
    ["POST", "/orders/tx", false, "orders.record"],
    ["POST", "/orders/with-deposit/calldata", false, "orders.withDeposit.calldata"],
    ["DELETE", "/orders/:orderId/send", false, "orders.cancelSend"],
    ["POST", "/orders/cancel/send", false, "orders.cancelMany.send"],
    ["GET", "/cash/deposits", true, "cash.deposits.list"],
    ["GET", "/cash/deposits/:operationId", false, "cash.deposits.get"],
    ["POST", "/webhooks", false, "webhooks.create"],
    ["DELETE", "/webhooks/:webhookId", false, "webhooks.delete"],
    ["POST", "/webhooks/:webhookId/deliveries/:deliveryId/redeliver", false, "webhooks.redeliver"],
    ["GET", "/1ct/status", false, "oneClick.status"],
    ["GET", "/events/stream", false, "events.stream"],
  ] as const)("%s %s", (method, path, isList, expected) => {
    expect(clientMethodOf({ method, path }, isList)).toBe(expected);
  });

  it("is another one for each operation, and none is a group of others", () => {
    const document = createDocument({ schema: buildApiSchema(), endpoints: ENDPOINTS, streams: STREAMS });
    const operations = Object.values(document.paths as object).flatMap((path: object) => Object.values(path));
    const names = operations.map((operation) => String(operation["x-client-method"]));
    expect(names).toHaveLength(ENDPOINTS.length + STREAMS.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => names.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
    for (const name of names) expect(name).toMatch(/^[a-z]\w*(\.[a-z]\w*)+$/);
  });
});
