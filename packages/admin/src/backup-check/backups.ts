import { readdir } from "node:fs/promises";

const NAME = /^app-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.dump$/;

/** Returns when a backup was begun, Unix seconds, by its name as deploy/compose/backup.sh gives it; null for any other file. */
export function backupSeconds(name: string): number | null {
  const match = NAME.exec(name);
  if (!match) return null;
  const [year = 0, month = 0, ...rest] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, ...(rest as [number, number, number, number])) / 1_000;
}

/** Returns when the newest backup in a directory was begun, Unix seconds; 0 where there is none. */
export async function newestBackupSeconds(directory: string): Promise<number> {
  return Math.max(0, ...(await readdir(directory)).map((name) => backupSeconds(name) ?? 0));
}
