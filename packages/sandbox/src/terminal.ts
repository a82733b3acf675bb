import { createWriteStream } from "node:fs";
import { Writable } from "node:stream";

/** Output at the terminal: steps, warnings, and whole logs on request. */
export interface Terminal {
  print(text: string): void;
  /** Writes a line of a program's log. Shown when LOG_LEVEL was set; else only warnings, and none before the end of the start. */
  log(program: string, line: string): void;
  /** Shows or hides warnings: start and end print their own. */
  showWarnings(on: boolean): void;
}

const LOUD = new Set(["warn", "error", "fatal"]);

export function createTerminal(wholeLogs: boolean, out: NodeJS.WriteStream = process.stdout): Terminal {
  let warnings = false;
  // A closed terminal must not end the sandbox in disorder.
  out.on("error", () => {});
  return {
    print: (text) => void out.write(`${text}\n`),
    log(program, line) {
      if (wholeLogs) out.write(`${line}\n`);
      else if (warnings) {
        const warning = warningIn(line);
        if (warning) out.write(`${program}: ${warning}\n`);
      }
    },
    showWarnings(on) {
      warnings = on;
    },
  };
}

/** Returns the text of a JSON log line, where it is a warning or worse. */
function warningIn(line: string): string | null {
  if (!line.startsWith("{")) return null;
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null) return null;
    const level = "level" in parsed ? String(parsed.level) : "";
    const text = "msg" in parsed ? String(parsed.msg) : "";
    return LOUD.has(level) ? `${level}: ${text}` : null;
  } catch {
    return null;
  }
}

/** Returns the destination of the sandbox's own log: its file, and the terminal like the others. */
export function logDestination(file: string, terminal: Terminal): Writable {
  const stream = createWriteStream(file, { flags: "a" });
  return new Writable({
    write(chunk, _encoding, done) {
      const text = String(chunk);
      terminal.log("sandbox", text.trimEnd());
      stream.write(text, () => done());
    },
  });
}
