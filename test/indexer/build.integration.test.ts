import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { schemaName } from "../../indexer/build.ts";
import { ROOT } from "../../src/config/root.ts";
import { chain, product } from "./deployments.ts";

const alpha = product("Alpha", 0x10);
const one = chain(1, [alpha]);

describe("the schema of a build", () => {
  it("has a name that PostgreSQL and Ponder take", () => {
    expect(schemaName(one)).toMatch(/^onchain_1_[0-9a-f]{10}$/);
  });

  it("is another one for what changes the tables", () => {
    const others = [
      chain(2, [alpha]),
      chain(1, [alpha, product("Beta", 0x20)]),
      chain(1, [{ ...alpha, productType: "Gamma" }]),
      chain(1, [{ ...alpha, startBlock: 2 }]),
      chain(1, [product("Alpha", 0x30)]),
    ].map((other) => schemaName(other));
    expect(new Set([schemaName(one), ...others]).size).toBe(6);
  });

  it("is the same for what does not", () => {
    const elsewhere = {
      ...chain(1, [{ ...alpha, minNotional: "5" }]),
      rpcUrls: ["https://b.example", "https://a.example"],
      pollingIntervalMs: 250,
      confirmations: 12,
      ephemeral: false,
    };
    expect(schemaName(elsewhere)).toBe(schemaName(one));
  });

  describe("as a project in another place", () => {
    let project: string;
    beforeEach(() => {
      project = mkdtempSync(join(tmpdir(), "partner-trading-project-"));
      cpSync(join(ROOT, "dist/indexer"), project, { recursive: true });
    });
    afterEach(() => rmSync(project, { recursive: true, force: true }));

    const changed = (file: string) => {
      appendFileSync(join(project, file), "\n// changed");
      return schemaName(one, project);
    };

    it("is the same", () => {
      expect(schemaName(one, project)).toBe(schemaName(one));
    });

    it("is another one for a change of configuration, tables, a contract's handlers, or what they share", () => {
      const handlers = readdirSync(join(ROOT, "indexer/src")).filter((file) => /^[A-Z]/.test(file));
      expect(handlers).toContain("StockRouter.ts");
      const shared = readdirSync(join(project, "chunks")).map((file) => `chunks/${file}`);
      const files = [
        "ponder.config.ts",
        "ponder.schema.ts",
        ...handlers.map((file) => `src/${file}`),
        ...shared,
      ];
      const names = [schemaName(one), ...files.map(changed)];
      expect(new Set(names).size).toBe(names.length);
    });

    it("is the same for a change of its routes and for what Ponder keeps there", () => {
      mkdirSync(join(project, ".ponder/vite"), { recursive: true });
      writeFileSync(join(project, ".ponder/vite/package.json"), "{}");
      expect(changed("src/api/index.ts")).toBe(schemaName(one));
    });
  });
});
