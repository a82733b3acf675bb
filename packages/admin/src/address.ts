import { checksumAddress, type Hex } from "viem";
import { MalformedError } from "../../../src/auth/malformed-error.ts";
import { ADDRESS } from "../../../src/protocol/shapes.ts";

/**
 * Reads an address in any case, and returns it in lower case, as it is stored.
 * @throws MalformedError where it is malformed, or where it is in mixed case with a wrong checksum (EIP-55): it was mistyped
 */
export function parseAddress(text: string): Hex {
  if (!ADDRESS.test(text)) {
    throw new MalformedError(`${text} is no address: it takes 0x and 40 hexadecimal digits.`);
  }
  const lower = text.toLowerCase() as Hex;
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && text.slice(2) !== checksumAddress(lower).slice(2)) {
    throw new MalformedError(
      `${text} has a wrong checksum: a digit or its case was mistyped. Copy it again, or write it in lower case if you are sure.`,
    );
  }
  return lower;
}

/** Returns a stored address for display: with its checksum. */
export function showAddress(stored: string): string {
  return checksumAddress(stored as Hex);
}

/** Returns an address for display; null where there is none. */
export const showAddressOrNull = (stored: string | null): string | null =>
  stored === null ? null : showAddress(stored);
