import { expect, it } from "@jest/globals";
import { crawl } from "../support/http/crawl.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** Guides, reference and errors as the running sandbox serves them. */
const { baseUrl } = readSandboxState();

it("follows every link from the front page, the Markdown and /llms.txt", async () => {
  const { read, broken } = await crawl(`${baseUrl}/`, ["docs", "llms.txt", "llms-full.txt"]);
  expect(broken).toEqual([]);
  expect(read.length).toBeGreaterThan(100);
  expect(read).toEqual(expect.arrayContaining([`${baseUrl}/openapi.json`, `${baseUrl}/docs/reference`]));
});
