import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { buildApiSchema } from "../../../src/api/schema.ts";
import type { Caller } from "../../../src/auth/caller.ts";
import { readFailingWebhooks } from "../../../src/dashboard/overview/webhooks.ts";
import { CONTRACTS } from "../../support/assert/sample.ts";
import { mostRowsRead, recordStatements } from "../../support/db/plans.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../../support/http/graphql.ts";

const NOW = 1_799_971_200;
let features: Features;
let server: GraphqlServer;
let key: Caller;

beforeAll(async () => {
  const deployment = { chainId: 31337, ...CONTRACTS };
  features = await startFeatures([{ deployment, rpcUrls: ["http://127.0.0.1:1"] }]);
  server = await startGraphql({ schema: buildApiSchema(), deps: features.deps });
  key = await features.makeCaller();
});
afterAll(async () => {
  await server?.stop();
  await features?.close();
});

const pool = () => features.deps.pool;
const webhooks = (count: number, columns: string, values: string) =>
  pool().query(
    `INSERT INTO app.webhook (key_id, chain_id, product_type, url, types, cursor${columns})
     SELECT $1, ${key.chainId}, '${PRODUCT}', 'https://p.example/' || gen_random_uuid(), '', 0${values}
     FROM generate_series(1, ${count})`,
    [key.keyId],
  );
const read = async () => {
  const query = "{ dashboard { failingWebhooks { count since } } }";
  return (await postGraphql(server.url, { query })).json.data.dashboard.failingWebhooks;
};
const since = (seconds: number) => `, to_timestamp(${seconds})`;

it("failing webhooks are counted while they are enabled and their key is in use, by an index that has no others", async () => {
  expect(await read()).toEqual({ count: 0, since: null });
  await webhooks(2_000, "", "");
  await webhooks(1, ", failing_since", since(NOW - 60));
  await webhooks(1, ", failing_since", since(NOW - 90));
  await webhooks(1, ", failing_since, disabled_at, disabled_reason", `${since(NOW - 99)}, now(), 'failing'`);
  await webhooks(1, ", failing_since, deleted_at", `${since(NOW - 99)}, now()`);
  await pool().query("ANALYZE app.webhook");
  expect(await read()).toEqual({ count: 2, since: NOW - 90 });
  const { deps, statements } = recordStatements(features.deps);
  await readFailingWebhooks(deps);
  expect(await mostRowsRead(pool(), statements)).toBeLessThan(10);
  await pool().query("UPDATE app.api_key SET active = false WHERE key_id = $1", [key.keyId]);
  expect(await read()).toEqual({ count: 0, since: null });
});
