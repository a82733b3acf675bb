import { expect, it } from "@jest/globals";
import { exampleAnswer } from "../../src/docs-page/errors/compose.ts";
import type { Example } from "../../src/docs-page/errors/page.ts";
import { ERROR_PAGES } from "../../src/docs-page/errors/pages.ts";
import type { ErrCode } from "../../src/protocol/errors.ts";
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

const examples = Object.entries(ERROR_PAGES).flatMap(([errCode, { example }]) =>
  example.askedBy ? [{ errCode: errCode as ErrCode, example, key: ASKED_BY[example.askedBy] }] : [],
);

function ask({ request, header, body }: Example, key: ReturnType<typeof partner>) {
  const url = new URL(request.split(" ")[1] ?? "", "http://x");
  const bend = header ? { headers: Object.fromEntries([header]) } : {};
  if (request.startsWith("POST")) return key.post(url.pathname, body, bend);
  return key.get(url.pathname, Object.fromEntries(url.searchParams), bend);
}

it("are answered as they show", async () => {
  expect(examples.length).toBeGreaterThan(18);
  const answers = await Promise.all(
    examples.map(async ({ errCode, example, key }) => {
      const { status, body } = await ask(example, key);
      return [errCode, { status, ...body, uuid: "", t: 0 }];
    }),
  );
  const shown = examples.map(({ errCode, example }) => {
    const { status, body } = exampleAnswer(errCode, example, `${state.baseUrl}/docs`);
    return [errCode, { status, ...JSON.parse(body), uuid: "", t: 0 }];
  });
  expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(shown));
});

it("lead to the page of their errCode", async () => {
  const { body } = await ASKED_BY["bound key"].get("/orders", { limt: 5 });
  const { docUrl } = body as { docUrl?: string };
  const page = await fetch(present(docUrl, "a docUrl"));
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await page.text()).toContain("<h1>VALIDATION_FAILED</h1>");
});
