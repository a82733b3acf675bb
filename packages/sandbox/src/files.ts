import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { z } from "zod";
import { START_FRESH } from "./command.ts";

/**
 * Writes JSON so that a reader sees the old file or the new one, never a part.
 * @param mode permission bits; secrets are for their owner alone.
 */
export function writeJson(path: string, value: unknown, mode = 0o644): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Reads a JSON file that `writeJson` wrote; undefined where there is none.
 * @throws Error naming the file, where its content does not match.
 */
export function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8");
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is damaged; \`${START_FRESH}\` starts anew`, { cause });
  }
}
