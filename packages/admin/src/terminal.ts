import { userInfo } from "node:os";
import { Command, Option } from "commander";

/** Environment of a command. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  stdout: Output;
  stderr: Output;
  /** Source of the answer to a confirmation; absent without a terminal. */
  stdin?: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Directory from which `.sandbox` is searched; absent: nowhere. */
  cwd?: string;
}

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Ends a command with exit code 1 after it has printed the reason itself. */
export class Failed extends Error {
  override readonly name = "Failed";
}

/** Creates a command that writes to a terminal, including commander's output, and throws where it would end the process. */
export function createCommand(name: string, { stdout, stderr }: Terminal): Command {
  return new Command(name)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError("Run it with --help to see its arguments and options.")
    .exitOverride();
}

/** Prints a line of output. */
export function print({ stdout }: Terminal, text: string): void {
  stdout.write(`${text}\n`);
}

/** Prints a line for the reader alone, which does not go into a pipe. */
export function note({ stderr }: Terminal, text: string): void {
  stderr.write(`${text}\n`);
}

/** Returns text for the end of a command's help: examples, as typed. */
export function examples(...lines: string[]): string {
  return ["", "Examples:", ...lines.map((line) => `  $ partner-trading-admin ${line}`)].join("\n");
}

/** `--json` */
export const jsonOption = (): Option => new Option("--json", "print one JSON document");

/** `--yes` */
export const yesOption = (): Option => new Option("--yes", "do it without asking for confirmation");

/** Returns the operator's name: the actor of audit entries. */
export function operator(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without a name, as in containers.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
