import type { Hex } from "viem";

let count = 0;

/** Returns a hash that no other call in this process returns, and the same ones in every run. */
export function uniqueHash(): Hex {
  count += 1;
  // Begins unlike the small numbers that tests choose themselves.
  return `0xb5${count.toString(16).padStart(62, "0")}`;
}
