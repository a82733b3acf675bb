import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { buildFiles, schemaName } from "../../indexer/build.ts";
import { ROOT } from "../../src/config/root.ts";
import { chain, product } from "./deployments.ts";

const alpha = product("Alpha", 0x10);
const one = { chains: [chain(1, [alpha])] };

describe("the schema of a build", () => {
  it("has a name that PostgreSQL and Ponder take", () => {
    expect(schemaName(one)).toMatch(/^onchain_[0-9a-f]{10}$/);
  });

  it("is another one for what changes the tables", () => {
    const others = [
      { chains: [chain(2, [alpha])] },
      { chains: [chain(1, [alpha, product("Beta", 0x20)])] },
      { chains: [chain(1, [{ ...alpha, productType: "Gamma" }])] },
      { chains: [chain(1, [{ ...alpha, startBlock: 2 }])] },
      { chains: [chain(1, [product("Alpha", 0x30)])] },
    ].map(schemaName);
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
    expect(schemaName({ chains: [elsewhere] })).toBe(schemaName(one));
  });

  it("hangs on every file that a handler or the schema uses", () => {
    const files = buildFiles();
    // The transport decides when an answer is believed, not what is made of it.
    const apart = ["indexer/transport.ts"];
    const imported = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => {
        const text = readFileSync(join(ROOT, file), "utf8");
        return [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, to = ""]) =>
          normalize(join(dirname(file), to)),
        );
      });
    expect(imported.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(imported.filter((file) => !files.includes(file) && !apart.includes(file))).toEqual([]);
  });
});
