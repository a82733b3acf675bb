import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

export interface Confirmation {
  /** Sentence that names the effect, and warns that it is permanent. */
  warning: string;
  /** Name of the changed object, typed as confirmation. */
  name: string;
  /** True where `--yes` was given. */
  yes?: boolean | undefined;
}

/**
 * Asks for confirmation of a permanent change. The answer must be the name of the changed object, so that a habit of answering
 * "y" ends nothing.
 * @throws Error where the answer is another one, or where there is no terminal to ask on and no `--yes`
 */
export async function confirm(terminal: Terminal, { warning, name, yes }: Confirmation): Promise<void> {
  if (yes) return;
  const { stdin, stderr } = terminal;
  if (!stdin?.isTTY || !stderr.isTTY) {
    throw new Error(`${warning}\nNothing was changed: there is no terminal to ask on. Give --yes to do it.`);
  }
  stderr.write(`${warning}\nType ${name} to confirm: `);
  const lines = createInterface({ input: stdin });
  try {
    const answer = await new Promise<string>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve(""));
    });
    if (answer.trim() !== name) throw new Error("Nothing was changed: the answer is another one.");
  } finally {
    lines.close();
  }
}
