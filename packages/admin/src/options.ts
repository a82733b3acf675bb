import { InvalidArgumentError } from "commander";
import { parseDecimal, WAD_DECIMALS } from "../../../src/protocol/decimal.ts";

// Parsers of arguments and options that several commands take. They run while the command line is read, and load nothing.

const CHAIN_ID_MAX = 2_147_483_647;

/** Parses a chain id. */
export function chainId(value: string): number {
  const id = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Number.NaN;
  if (id <= CHAIN_ID_MAX) return id;
  throw new InvalidArgumentError("a chain id is a positive integer, such as 1");
}

/** Parses a point in time. */
export function time(value: string): Date {
  const date = new Date(value);
  // JavaScript parses forms other than ISO 8601 differently on different machines.
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(value) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError("a time is written like 2030-01-31 or 2030-01-31T12:00:00Z");
  }
  return date;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Returns a parser of a time span, in seconds. */
export function duration(maxDays: number): (value: string) => number {
  return (value) => {
    const [, count = "", unit = "s"] = /^(\d{1,7})([smhd])$/.exec(value) ?? (value === "0" ? ["0", "0"] : []);
    const seconds = count === "" ? Number.NaN : Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
    if (seconds <= maxDays * 86_400) return seconds;
    throw new InvalidArgumentError(`a time is written like 90m, 24h or 7d, at most ${maxDays}d`);
  };
}

/** Parses a time, or an age: `2030-01-31T12:00:00Z`, `90m`, `7d`. */
export function since(value: string): Date {
  if (/^\d+[smhd]$/.test(value)) return new Date(Date.now() - duration(3_650)(value) * 1_000);
  return time(value);
}

/** Parses a maximum number of rows. */
export function limit(value: string): number {
  const count = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : Number.NaN;
  if (count <= 10_000) return count;
  throw new InvalidArgumentError("a number from 1 to 10000");
}

/** Parses an end: a time, a span from now, or never. */
export function expiry(value: string): Date | "never" {
  if (value === "never") return value;
  if (/^\d+[smhd]$/.test(value)) return new Date(Date.now() + duration(3_650)(value) * 1_000);
  return time(value);
}

/** Collects an option that may be repeated. */
export const collect = (value: string, previous: string[]): string[] => [...previous, value];

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parses an identifier, such as a requestId. */
export function identifier(value: string): string {
  if (GUID.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError("an identifier is written like 6f1c1f52-3f0e-4b44-9f7e-2f0a3a0c0d11");
}

/** Parses the object of an event: an orderId, an operationId or a requestId. */
export function objectId(value: string): string {
  if (/^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  return identifier(value);
}

/** Parses a nonce of a wallet. */
export function nonce(value: string): bigint {
  if (/^\d{1,15}$/.test(value)) return BigInt(value);
  throw new InvalidArgumentError("a nonce is a number, such as 0");
}

/** Parses a daily cap, mUSD to wad. Returns no null for "none": commander takes null for an option without a value. */
export function cap(value: string): bigint | "none" {
  if (value === "none") return value;
  const wad = parseDecimal(value, WAD_DECIMALS);
  if (typeof wad !== "bigint") throw new InvalidArgumentError("an amount of mUSD, or none");
  return wad;
}
