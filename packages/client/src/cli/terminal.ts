import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { styleText } from "node:util";
import { Command } from "commander";

/** Environment of a command. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: AsyncIterable<Buffer | string>;
  stdout: Output;
  stderr: Output;
  /** Aborts on Ctrl-C. */
  interrupted: AbortSignal;
}

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** A failure whose message is complete: it is printed without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Creates a command that writes to a terminal, including commander's output, and throws where it would end the process. */
export function createCommand(name: string, { stdout, stderr }: Terminal): Command {
  return new Command(name)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .exitOverride();
}

/** Prints a line of output. */
export const print = ({ stdout }: Terminal, text: string) => void stdout.write(`${text}\n`);

/** Prints a line for the reader alone, which does not go into a pipe. */
export const note = ({ stderr }: Terminal, text: string) => void stderr.write(`${text}\n`);

export type Style = Parameters<typeof styleText>[0];

/** Returns a function that colours text on a terminal, and leaves it unchanged in a pipe or where NO_COLOR is set. */
export function painter({ env, stdout }: Terminal): (style: Style, text: string) => string {
  const isColoured = Boolean(env.FORCE_COLOR) || (stdout.isTTY === true && !env.NO_COLOR);
  return (style, text) => (isColoured ? styleText(style, text) : text);
}

/** Reads a file as text; `-` is standard input. @throws CommandError where it cannot be read */
export async function readText({ cwd, stdin }: Terminal, file: string): Promise<string> {
  if (file === "-") {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString("utf8");
  }
  try {
    return await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
