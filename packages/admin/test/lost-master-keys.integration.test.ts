import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { revokeKey } from "../../../src/auth/keys-admin.ts";
import { rotateKey } from "../../../src/auth/rotation.ts";
import { canary } from "../../../test/support/assert/logs.ts";
import { present } from "../../../test/support/assert/until.ts";
import { createDatabase, type TestDatabase } from "../../../test/support/db/postgres.ts";
import { makeEnv, startTestApi, type TestApi, type TestEnv } from "../../../test/support/http/api.ts";
import { createPartner, type PartnerKey } from "../../../test/support/http/partner.ts";
import { operate } from "../../../test/support/program/command.ts";
import { shellBlocksOf } from "../../../test/support/program/markdown.ts";

// docs/operations/lost-master-keys.md, followed command by command.

const commands = shellBlocksOf("docs/operations/lost-master-keys.md")
  .flatMap((block) => block.split("\n"))
  .flatMap((line) => /^partner-trading-admin (.*)$/.exec(line)?.[1] ?? []);

let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
const NEW_KEY = `k2:${canary("new master key", "7c".repeat(32))}`;

beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
});
afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await database?.drop();
});

const withNewKey = () => ({ ...env.env, MASTER_KEYS: NEW_KEY });

/** Types a command of the page for a key. */
async function type(command: string, apiKey = "") {
  const outcome = await operate(command.replace("pk_0123", apiKey).split(" "), withNewKey());
  expect(outcome).toMatchObject({ code: 0 });
  return { ...outcome, secret: /sk_[0-9a-f]+/.exec(outcome.out)?.[0] };
}

async function isServed(key: PartnerKey, apiSecret = key.apiSecret): Promise<boolean> {
  const { body } = await createPartner(api.url, { ...key, apiSecret }).get("/orders/nothing");
  return body.code !== 401;
}

it("the page has the commands that this test types", () => {
  expect(commands).toEqual([
    "keys list",
    "keys rotate pk_0123 --overlap 0 --yes",
    "keys rotate pk_0123 --replace --yes",
    "keys rotate pk_0123 --finish --yes",
    "keys reseal",
  ]);
});

it("each key is refused, and served again with a secret under the new master key", async () => {
  const [plain, rotating, revoked] = [await env.makeKey(), await env.makeKey(), await env.makeKey()];
  await rotateKey(env.admin, rotating.apiKey, { overlapSeconds: 86_400 });
  await revokeKey(env.admin, revoked.apiKey);
  api = await startTestApi(env.env);
  expect(await isServed(plain)).toBe(true);
  await api.stop();

  api = await startTestApi(withNewKey());
  expect({ plain: await isServed(plain), rotating: await isServed(rotating) }).toEqual({
    plain: false,
    rotating: false,
  });
  const [list = "", rotate = "", replace = "", finish = "", reseal = ""] = commands;
  expect((await type(list)).out).toContain(plain.apiKey);
  // Nothing is sealed anew while a secret in use cannot be opened.
  const early = await operate(reseal.split(" "), withNewKey());
  expect(early).toMatchObject({ code: 1, err: expect.stringContaining("is not configured") });
  const refused = await operate(rotate.replace("pk_0123", rotating.apiKey).split(" "), withNewKey());
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("is being rotated until") });

  const plainSecret = present((await type(rotate, plain.apiKey)).secret, "a secret");
  const rotatingSecret = present((await type(replace, rotating.apiKey)).secret, "a secret");
  await type(finish, rotating.apiKey);
  expect({
    plain: await isServed(plain, plainSecret),
    rotating: await isServed(rotating, rotatingSecret),
    before: await isServed(plain),
  }).toEqual({ plain: true, rotating: true, before: false });
  expect((await type(reseal)).out).toBe("0 secrets sealed anew\n");
});
