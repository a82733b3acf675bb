import { expect, it } from "@jest/globals";
import type { ErrCode } from "../../src/protocol/errors.ts";
import { type ErrorPage, readErrorPage } from "../docs/error-page.ts";
import { present } from "../support/assert/until.ts";
import { createPartner } from "../support/http/partner.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** The examples of the pages about errors, sent as they stand: the answers are those that the pages show. */
const state = readSandboxState();
const partner = (isBound: boolean) =>
  createPartner(
    state.baseUrl,
    present(
      state.keys.find(
        ({ access, userAddress }) => access === "WRITABLE" && (userAddress !== null) === isBound,
      ),
      "a key",
    ),
  );
const ASKED_BY = { "bound key": partner(true), "unbound key": partner(false) };

/** Errors that a fresh sandbox always answers so; other answers depend on an earlier state. */
const ASKED: readonly (readonly [key: keyof typeof ASKED_BY, errCodes: readonly ErrCode[]])[] = [
  [
    "bound key",
    [
      ...(["NOTIONAL_REQUIRED", "QUANTITY_REQUIRED", "PRICE_REQUIRED", "TIME_IN_FORCE_REQUIRED"] as const),
      ...(["TIME_IN_FORCE_NOT_SUPPORTED", "DEADLINE_EXPIRED", "TOO_MANY_DECIMALS"] as const),
      ...(["TOKEN_NOT_SUPPORTED", "BELOW_MINIMUM", "VALIDATION_FAILED", "WEBHOOK_TARGET_REFUSED"] as const),
      ...(["ORDER_NOT_FOUND", "OPERATION_NOT_FOUND", "TRANSACTION_NOT_FOUND", "SEND_NOT_FOUND"] as const),
      ...(["SYMBOL_NOT_FOUND", "WEBHOOK_NOT_FOUND", "SIGNER_MISMATCH", "ROUTE_NOT_FOUND"] as const),
    ],
  ],
  ["unbound key", ["USER_NOT_BOUND"]],
];

const examples = ASKED.flatMap(([key, errCodes]) =>
  errCodes.map((errCode) => ({ errCode, page: readErrorPage(errCode), key: ASKED_BY[key] })),
);

function ask({ method, uri, headers, body }: ErrorPage, key: ReturnType<typeof partner>) {
  const url = new URL(uri, "http://x");
  if (method === "POST") return key.post(url.pathname, body, { headers });
  return key.get(url.pathname, Object.fromEntries(url.searchParams), { headers });
}

it("are answered as they show", async () => {
  const answers = await Promise.all(
    examples.map(async ({ errCode, page, key }) => {
      const { status, body } = await ask(page, key);
      return [errCode, { status, ...body, uuid: "", t: 0 }];
    }),
  );
  const shown = examples.map(({ errCode, page: { answer, failure } }) => {
    const docUrl = `${state.baseUrl}/docs/errors/${errCode}`;
    return [errCode, { status: Number(answer.split(/\s/)[1]), ...failure, docUrl, uuid: "", t: 0 }];
  });
  expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(shown));
});

it("lead to the page of their errCode", async () => {
  const { body } = await ASKED_BY["bound key"].get("/orders", { limt: 5 });
  const { docUrl } = body as { docUrl?: string };
  const page = await fetch(present(docUrl, "a docUrl"));
  expect({ status: page.status, "content-type": page.headers.get("content-type") }).toEqual({
    status: 200,
    "content-type": "text/html; charset=utf-8",
  });
  expect(await page.text()).toContain('<h1 id="validation_failed">VALIDATION_FAILED</h1>');
});
