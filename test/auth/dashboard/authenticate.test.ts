import { expect, it } from "@jest/globals";
import type pg from "pg";
import { createDashboardAuthenticator } from "../../../src/auth/dashboard/authenticate.ts";
import { hashToken, isToken, newToken } from "../../../src/auth/dashboard/token.ts";
import type { Statement } from "../../../src/db/query.ts";
import { createLog } from "../../../src/telemetry/log.ts";

const NOW = 1_800_000_000_000;
const ENVIRONMENT = ["first-token-of-the-environment-00", "second-token-of-the-environment-0"];

/** Creates a database with one user, which records its queries. */
function create(row: object | null, fails = false) {
  const asked: { text: string; values: unknown[] }[] = [];
  const lines: string[] = [];
  const pool = {
    query: async ({ text, values }: Statement) => {
      asked.push({ text: text.trim(), values });
      if (fails) throw Object.assign(new Error("down"), { code: "57P01" });
      return { rows: row && text.trim().startsWith("SELECT") ? [row] : [] };
    },
  } as unknown as pg.Pool;
  const authenticate = createDashboardAuthenticator({
    pool,
    tokens: ENVIRONMENT,
    now: () => NOW,
    log: createLog("test", "debug", { write: (line) => void lines.push(line) }),
  });
  return { authenticate, asked, lines };
}

const USER = {
  user_id: "0f8b6f5e-3f0a-4c8e-9a43-6d6a1b1f2c3d",
  name: "alice",
  role: "viewer",
  expires_at: new Date(NOW + 1),
  revoked_at: null,
  last_used_at: new Date(NOW - 59_999),
};

it.each([0, 1])(
  "lets token %i of the environment in as an operator, while the database is down",
  async (index) => {
    const { authenticate, asked } = create(null, true);
    for (const scheme of ["Bearer", "bearer", "Bearer "]) {
      const result = await authenticate(`${scheme} ${ENVIRONMENT[index]}`);
      expect({ scheme, result }).toMatchObject({
        scheme,
        result: {
          ok: true,
          user: { name: "environment", role: "operator", expiresAt: null },
        },
      });
      if (result.ok) expect(await result.recheck()).toBeNull();
    }
    expect(asked).toEqual([]);
  },
);

it.each([
  [undefined, "missing"],
  ["", "missing"],
  ["Bearer", "missing"],
  ["Bearer ", "missing"],
  [ENVIRONMENT[0], "missing"],
  [`Basic ${ENVIRONMENT[0]}`, "missing"],
  [`Bearer a ${ENVIRONMENT[0]}`, "missing"],
  [`Bearer ${ENVIRONMENT[0]?.slice(0, -1)}`, "unknown"],
  [`Bearer ${ENVIRONMENT[0]}0`, "unknown"],
  [`Bearer ${ENVIRONMENT[0]?.toUpperCase()}`, "unknown"],
  ["Bearer dash_", "unknown"],
  [`Bearer ${newToken().slice(0, -1)}`, "unknown"],
  [`Bearer ${newToken()}x`, "unknown"],
  [`Bearer ${newToken().replace("dash_", "DASH_")}`, "unknown"],
])("refuses %p without asking the database", async (authorization, cause) => {
  const { authenticate, asked } = create(USER);
  expect(await authenticate(authorization)).toEqual({ ok: false, cause: `dashboard token ${cause}` });
  expect(asked).toEqual([]);
});

it.each([
  ["whose hash is unknown", null, "unknown"],
  ["that was revoked", { ...USER, revoked_at: new Date(NOW - 1) }, "revoked"],
  ["that is revoked by a clock ahead", { ...USER, revoked_at: new Date(NOW + 60_000) }, "revoked"],
  ["that has ended", { ...USER, expires_at: new Date(NOW) }, "expired"],
])("refuses a token %s", async (_name, row, cause) => {
  const { authenticate } = create(row);
  expect(await authenticate(`Bearer ${newToken()}`)).toEqual({
    ok: false,
    cause: `dashboard token ${cause}`,
  });
});

it("looks a token up by its hash alone, at each request, and notes its use once a minute", async () => {
  const token = newToken();
  const recent = create(USER);
  for (let n = 0; n < 2; n++) {
    const result = await recent.authenticate(`Bearer ${token}`);
    expect(result).toMatchObject({ ok: true, user: { name: "alice", role: "viewer", expiresAt: NOW + 1 } });
  }
  expect(recent.asked).toHaveLength(2);
  expect(recent.asked.map(({ values }) => values)).toEqual([[hashToken(token)], [hashToken(token)]]);
  expect(JSON.stringify(recent)).not.toContain(token);
  const old = create({ ...USER, last_used_at: new Date(NOW - 60_000) });
  await old.authenticate(`Bearer ${token}`);
  expect(old.asked.map(({ text }) => text.split(" ")[0])).toEqual(["SELECT", "UPDATE"]);
});

it("does not let in whom the database cannot confirm", async () => {
  const { authenticate } = create(USER, true);
  await expect(authenticate(`Bearer ${newToken()}`)).rejects.toMatchObject({
    errCode: "DATABASE_UNAVAILABLE",
  });
});

it("makes tokens of 256 random bits behind a prefix", () => {
  const tokens = Array.from({ length: 50 }, newToken);
  expect(new Set(tokens).size).toBe(50);
  for (const token of tokens) {
    expect({ token, isToken: isToken(token) }).toEqual({ token, isToken: true });
    expect(Buffer.from(token.slice("dash_".length), "base64url")).toHaveLength(32);
  }
});
