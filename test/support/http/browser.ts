import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";

const run = promisify(execFile);
// Ends what hangs, and judges no speed.
const WAIT_MS_MAX = 60_000;
const UNPACK = fileURLToPath(new URL("./unpack-chromium.mjs", import.meta.url));

/**
 * Starts a Chromium without a window: the one at CHROMIUM_PATH, else that of the package @sparticuz/chromium. It is led
 * through a pipe, so it ends with this process however that ends.
 * @param more further arguments of its command line
 * @throws Error naming CHROMIUM_PATH where it does not start
 */
export async function startBrowser(more: readonly string[] = []): Promise<Browser> {
  try {
    const args = ["--no-zygote", "--disable-gpu", ...more];
    return await chromium.launch({ ...(await findChromium()), args, timeout: WAIT_MS_MAX });
  } catch (cause) {
    throw new Error(
      "Chromium did not start. Set CHROMIUM_PATH to the program of a Chromium or Chrome that runs on this machine.",
      { cause },
    );
  }
}

async function findChromium(): Promise<Pick<LaunchOptions, "executablePath" | "env">> {
  const given = process.env.CHROMIUM_PATH;
  if (given) return { executablePath: given };
  const { stdout: directory } = await run(process.execPath, [UNPACK]);
  // Its own libraries and fonts, so that it runs, and lays out text, alike on every machine.
  const LD_LIBRARY_PATH = join(directory, "al2023/lib");
  const FONTCONFIG_PATH = join(directory, "fonts");
  return {
    executablePath: join(directory, "chromium"),
    env: { ...process.env, LD_LIBRARY_PATH, FONTCONFIG_PATH },
  };
}

/**
 * Opens an empty page, in a profile of its own that holds nothing.
 * @returns the page, and what goes wrong in it, as it comes: errors and warnings of its console, among them whatever its
 * content security policy blocks, uncaught exceptions, and dialogs. An answer of the service that is a failure
 * is none of them.
 */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(WAIT_MS_MAX);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const { pathname } = new URL(message.location().url || "about:blank");
    const isAnswer =
      /^Failed to load resource/.test(message.text()) &&
      /\/(graphql|events\/stream)$|^\/api\/v1\//.test(pathname);
    if (["error", "warning"].includes(message.type()) && !isAnswer) problems.push(message.text());
  });
  return { page, problems };
}
