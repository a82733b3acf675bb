import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { LONG } from "../support/assert/long.ts";
import { present } from "../support/assert/until.ts";
import { createPartner } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { prepareSamples } from "../support/samples/prepare.ts";
import { realistic } from "../support/samples/realistic.ts";
import { runCurl } from "../support/samples/run-curl.ts";
import { runPython } from "../support/samples/run-python.ts";
import { runTypescript } from "../support/samples/run-typescript.ts";
import { type Language, type Sample, type SampleOutcome, samplesIn } from "../support/samples/samples.ts";
import { ensureDelegation } from "../support/sandbox/delegation.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** Every sample of the OpenAPI document, run against the sandbox: all of a language in one process; Python and curl in the long form. */
const state = readSandboxState();
const key = present(
  state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress),
  "a bound key",
);
const partner = createPartner(state.baseUrl, key);
const environment = {
  PARTNER_TRADING_BASE_URL: state.baseUrl,
  PARTNER_TRADING_API_KEY: key.apiKey,
  PARTNER_TRADING_API_SECRET: key.apiSecret,
  PARTNER_TRADING_CHAIN_ID: String(key.chainId),
  PARTNER_TRADING_PRODUCT: key.productType,
};
/** They end what other samples use, in this order. */
const LAST = ["orders.cancelMany.send", "webhooks.delete", "oneClick.disable"];

/** Takes deliveries of webhooks. */
const hook = createServer((request, response) => {
  request.resume().once("end", () => response.end());
});
beforeAll(() => new Promise<void>((done) => hook.listen(0, "127.0.0.1", done)));
afterAll(async () => {
  const { rows } = await partner.must(
    partner.get<{ rows: { webhookId: string; url: string }[] }>("/webhooks"),
  );
  for (const { webhookId, url } of rows)
    if (url === hookUrl()) await partner.must(partner.delete(`/webhooks/${webhookId}`));
  await ensureDelegation(partner, state);
  await partner.must(partner.post("/orders/cancel-after", { seconds: null }));
  hook.closeAllConnections();
  await new Promise((done) => hook.close(done));
});
const hookUrl = () => `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hooks`;

type Run = (samples: readonly Sample[], env: NodeJS.ProcessEnv) => Promise<SampleOutcome[]>;

async function runAll(language: Language, run: Run): Promise<void> {
  const real = await prepareSamples({ state, partner, key, hookUrl: hookUrl() });
  const samples = samplesIn(language).map((sample) => realistic(sample, real));
  const rank = ({ id }: Sample) => LAST.indexOf(id);
  const ordered = samples.toSorted((one, other) => rank(one) - rank(other));
  const outcomes = await run(ordered, environment);
  expect(outcomes.map(({ id }) => id)).toEqual(ordered.map(({ id }) => id));
  const failed = outcomes.filter(({ data }) => data === undefined || data === null);
  expect(failed).toEqual([]);
}

it("every sample in TypeScript does what it says", () => runAll("TypeScript", runTypescript));

// A language's samples differ by the calls, which those in TypeScript make, too.
if (LONG) {
  describeWhere("python3", "Python", () => {
    it("every sample in Python does what it says", () => runAll("Python", runPython));
  });

  describeWhere("openssl", "curl", () => {
    it("every sample with curl does what it says", () => runAll("curl", runCurl));
  });
}
