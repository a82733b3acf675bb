import type { Deps } from "../../context/deps.ts";

/** A chain on which an operator has halted sending. */
export interface Halt {
  reason: string | null;
}

/** Returns the halt of a chain, or null while sending goes on. */
export async function readHalt(_deps: Pick<Deps, "prisma">, _chainId: number): Promise<Halt | null> {
  return null;
}
