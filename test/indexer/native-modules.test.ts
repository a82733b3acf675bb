import { expect, it } from "@jest/globals";
import { createServer, runnerOf } from "../../indexer/native-modules.mjs";

const Runner = runnerOf({
  "src/Stock.ts": async () => ({ loaded: "a file" }),
  "ponder:registry": async () => ({ loaded: "a name" }),
});

it("loads a file of the project by its path, and what Ponder names by its name", async () => {
  const { config } = await createServer({ root: "/project" });
  const runner = new Runner(config);
  expect(await runner.executeFile("/project/src/Stock.ts")).toEqual({ loaded: "a file" });
  expect(await runner.executeId("ponder:registry")).toEqual({ loaded: "a name" });
});

it("refuses a file that is not in the bundle", async () => {
  await expect(new Runner({ root: "/project" }).executeFile("/project/src/Bond.ts")).rejects.toThrow(
    "src/Bond.ts is not in the bundle",
  );
});
