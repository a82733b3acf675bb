import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
// @ts-expect-error: a plain script, which npm runs without any build.
import { pictureOf, reduced, roomGraph, roomOf } from "../../tools/draw-rooms.mjs";

const rules: { forbidden: { name: string; from: { path?: string } }[] } = createRequire(import.meta.url)(
  "../../.dependency-cruiser.cjs",
);

const module = (source: string, ...used: string[]) => ({
  source,
  dependencies: used.map((resolved) => ({ resolved })),
});

/** Rooms of LAYERS, by the rules that are made of it. */
const layered = rules.forbidden
  .filter(({ name }) => /^layer-\d+-/.test(name))
  .flatMap(({ from }) => /\((.*)\)/.exec(from.path ?? "")?.[1]?.split("|") ?? []);

describe("the picture of the rooms", () => {
  it("has each room in one layer, so that no arrow goes up", () => {
    const rooms = readdirSync(join(ROOT, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "bin")
      .map(({ name }) => name);
    expect(layered.toSorted()).toEqual(rooms.sort());
  });

  it("has a room for each folder of src/, one for the programs in src/ itself, the indexer, and each package", () => {
    expect(roomOf("src/orders/send.ts")).toBe("orders");
    expect(roomOf("src/http/rest/sofa.ts")).toBe("http");
    expect(roomOf("src/main.ts")).toBe("programs");
    expect(roomOf("indexer/src/Stock.ts")).toBe("indexer");
    expect(roomOf("packages/sandbox/src/feed/market.ts")).toBe("sandbox");
    expect(roomOf("packages/sandbox/test/feed.test.ts")).toBeNull();
    expect(roomOf("node_modules/viem/index.js")).toBeNull();
  });

  it("has an arrow for what a room imports, and none that follows from others", () => {
    const graph = roomGraph([
      module("src/a/one.ts", "src/a/two.ts", "src/b/one.ts", "src/c/one.ts", "node_modules/x/index.js"),
      module("src/b/one.ts", "src/c/one.ts"),
      module("src/c/one.ts"),
    ]);
    expect(graph.get("a")).toEqual(new Set(["b", "c"]));
    expect(reduced(graph).get("a")).toEqual(new Set(["b"]));
    expect(pictureOf(graph)).toBe("```mermaid\nflowchart TD\n  a --> b\n  b --> c\n```");
  });
});
