import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { ROUTES } from "../src/control/server.ts";
import { parseSandboxEnv, SANDBOX_VARIABLES } from "../src/env.ts";

const docs = readFileSync(new URL("../../../docs/SANDBOX.md", import.meta.url), "utf8");

describe("docs/SANDBOX.md", () => {
  it.each(ROUTES.map(({ method, path, fields }) => [`${method} ${path}`, fields] as const))(
    "tells of %s and its fields",
    (route, fields) => {
      const line = docs
        .split(/\n(?=- |\n)/)
        .find((text) => text.startsWith("- `") && text.includes(`\`${route}\``));
      expect(line).toBeDefined();
      for (const field of fields) expect(line).toContain(`\`${field}\``);
    },
  );

  it.each(SANDBOX_VARIABLES)("tells of %s", (name) => {
    expect(docs).toContain(`\`${name}\``);
  });
});

describe("the sandbox's environment", () => {
  it("may be empty, and empty variables count as not set", () => {
    expect(parseSandboxEnv({ PORT: "", DATABASE_URL: "" })).toEqual(parseSandboxEnv({}));
    expect(parseSandboxEnv({}).PORT).toBeUndefined();
  });

  it.each(["http://sandbox", "sandbox:4000", "sand box", "*"])(
    "takes no %s for the name of a host",
    (hosts) => {
      expect(() => parseSandboxEnv({ SANDBOX_ALLOWED_HOSTS: hosts })).toThrow(
        "SANDBOX_ALLOWED_HOSTS: must be names",
      );
    },
  );

  it("reads lists of hosts and origins", () => {
    const env = {
      SANDBOX_ALLOWED_HOSTS: "Sandbox, exchange.test",
      SANDBOX_ALLOWED_ORIGINS: "http://localhost:5173",
    };
    expect(parseSandboxEnv(env)).toMatchObject({
      SANDBOX_ALLOWED_HOSTS: ["sandbox", "exchange.test"],
      SANDBOX_ALLOWED_ORIGINS: ["http://localhost:5173"],
    });
  });

  it("names every wrong variable and no value", () => {
    const wrong = () =>
      parseSandboxEnv({ PORT: "99999", SANDBOX_RPC_URL_31337: "ftp://secret", LOG_LEVEL: "loud" });
    expect(wrong).toThrow(/SANDBOX_RPC_URL_31337: .*\n {2}PORT: .*\n {2}LOG_LEVEL: /);
    expect(wrong).not.toThrow(/secret/);
  });
});
