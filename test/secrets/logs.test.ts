import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { z } from "zod";
import { createLeakFinder, type Secret } from "../support/assert/leaks.ts";
import { LOGS } from "../support/assert/logs.ts";
import { PARTS } from "../support/program/parts.mjs";

/**
 * docs/faults.md, row 51: no secret of a key, private key of a wallet or signature is in any line that any program
 * logged while the stages before this one ran.
 */
const files = existsSync(LOGS) ? readdirSync(LOGS, { recursive: true, encoding: "utf8" }) : [];
const read = (name: string): string => readFileSync(join(LOGS, name), "utf8");
const logs = files.filter((name) => name.endsWith(".log"));
const secretShape = z.object({ what: z.string(), secret: z.string() });

function secretsInPlay(): Secret[] {
  const lines = files.filter((name) => name.endsWith(".canaries")).flatMap((name) => read(name).split("\n"));
  return [...new Set(lines)].filter(Boolean).map((line) => secretShape.parse(JSON.parse(line)));
}

it("there are logs of every program, and secrets of every kind were in play", () => {
  const programs = new Set(logs.map((name) => /([a-z-]+)(\.\d+)?\.log$/.exec(name)?.[1]));
  expect([...programs]).toEqual(expect.arrayContaining(["api", "worker", "deliverer", "indexer"]));
  const lines = logs.reduce((count, name) => count + read(name).split("\n").length, 0);
  expect(lines).toBeGreaterThan(1_000);
  expect([...new Set(secretsInPlay().map(({ what }) => what))]).toEqual(
    expect.arrayContaining([
      "API secret",
      "request signature",
      "wallet key",
      "user's signature",
      "dashboard token",
      "token of a dashboard user",
      "database password",
      "master key",
      "webhook key",
      "webhook secret",
      ...(PARTS.softhsm.isPresent() ? ["PIN of a device"] : []),
    ]),
  );
});

it("a secret would be found in whatever form it leaked", () => {
  const secret = { what: "canary", secret: "sk_Canary-of-a-secret_0123456789" };
  const key = { what: "key", secret: `0x${"c4".repeat(31)}7f` };
  const find = createLeakFinder([secret, key]);
  for (const form of [
    secret.secret,
    secret.secret.toUpperCase(),
    Buffer.from(secret.secret).toString("hex"),
    Buffer.from(secret.secret).toString("base64"),
  ]) {
    expect({ form, found: find(`{"level":"info","msg":"x${form}x"}`) }).toEqual({ form, found: [secret] });
  }
  for (const form of [
    key.secret,
    key.secret.slice(2),
    Buffer.from(key.secret.slice(2), "hex").toString("base64"),
  ]) {
    expect({ form, found: find(`before ${form} after`) }).toEqual({ form, found: [key] });
  }
  expect(find(`${secret.secret.slice(0, -1)} ${key.secret.slice(0, -1)}`)).toEqual([]);
});

it("no log holds a secret, a private key or a signature", () => {
  const find = createLeakFinder(secretsInPlay());
  const leaks = logs.flatMap((name) => find(read(name)).map(({ what }) => `${what} in ${name}`));
  expect(leaks).toEqual([]);
});

it("no log holds what authorises, whoever it belongs to", () => {
  for (const name of logs) {
    expect({
      name,
      found:
        /x-api-sign["':\s]+[0-9a-f]{64}|\bsk_[\w-]{20,}|\bwhsec_[\w+/=-]{20,}|\bdash_[\w-]{20,}|bearer [\w-]{16,}/i.exec(
          read(name),
        ),
    }).toEqual({
      name,
      found: null,
    });
  }
});
