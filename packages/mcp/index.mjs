// Entry of `partner-trading mcp` and of the command of this package. In a checkout, the sources are built first.
import { existsSync } from "node:fs";

async function built() {
  if (!existsSync(new URL("src/index.ts", import.meta.url)))
    return new URL("dist/index.js", import.meta.url).href;
  const { buildServer } = await import("./build.mjs");
  return buildServer(await import("../../build.mjs"));
}

export const { runMcp } = await import(await built());
