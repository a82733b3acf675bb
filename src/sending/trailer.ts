import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { bytesToHex, concat, type Hex, hexToBytes, size, slice } from "viem";
import type { AttributionKey } from "../context/deps.ts";

/**
 * The trailer behind the arguments of `executeFor` (docs/sending.md#trailer): it names the request in its own transaction, so that a
 * repeat is recognised where the database has lost the request. The contract ignores it, and does not forward it.
 */

const VERSION: Hex = "0x01";
/**
 * Size of a UUID, and of each MAC. HMAC-SHA-256 cut to 128 bits: a MAC here is compared, and nobody can submit guesses of it
 * online; among 2^40 requests of one key, two different ones share a MAC with a probability of 2^-49.
 */
const FIELD_BYTES = 16;
const FIELDS = ["sealedKeyId", "idempotencyMac", "clientOrderMac", "inputMac"] as const;

/**
 * Length of every trailer, whatever names its request has, so that an observer does not learn which requests have an
 * Idempotency-Key.
 */
export const TRAILER_BYTES = size(VERSION) + FIELDS.length * FIELD_BYTES;

/** A parsed trailer. A field without a value in its request is random. */
export type Trailer = Record<(typeof FIELDS)[number], Hex>;

/** Scope of authenticated names: the same Idempotency-Key in another scope is a different one. */
export interface NameScope {
  /** The key's row in app.*, a UUID. */
  keyId: string;
  chainId: number;
  productType: string;
}

/** Names that a repeat shares with its request. */
export interface RequestNames {
  idempotencyKey: string | null;
  clientOrderId: string | null;
  inputHash: string;
}

/** Kind of name that a MAC authenticates. */
export type NameKind = keyof RequestNames;

/** Returns the trailer of a request, under the first server key. @throws Error where there is no server key */
export function buildTrailer(
  [current]: readonly AttributionKey[],
  scope: NameScope,
  { idempotencyKey, clientOrderId, inputHash }: RequestNames,
): Hex {
  if (!current) throw new Error("there is no server key to build trailers with");
  const secrets = deriveSecrets(current);
  const macOrRandom = (kind: NameKind, value: string | null): Hex =>
    value === null ? bytesToHex(randomBytes(FIELD_BYTES)) : macOf(secrets, scope, kind, value);
  const idempotencyMac = macOrRandom("idempotencyKey", idempotencyKey);
  return concat([
    VERSION,
    sealKeyId(secrets, scope.keyId, idempotencyMac),
    idempotencyMac,
    macOrRandom("clientOrderId", clientOrderId),
    macOrRandom("inputHash", inputHash),
  ]);
}

/** Returns the fields of a trailer; null where the bytes have another length or another version. */
export function parseTrailer(bytes: Hex): Trailer | null {
  if (size(bytes) !== TRAILER_BYTES || slice(bytes, 0, 1) !== VERSION) return null;
  const fields = FIELDS.map((name, index) => {
    const start = size(VERSION) + index * FIELD_BYTES;
    return [name, slice(bytes, start, start + FIELD_BYTES).toLowerCase()];
  });
  return Object.fromEntries(fields) as Trailer;
}

/** Returns the id of the API key that a trailer names, under each server key: only the key that sealed it gives the right one. */
export function openKeyIds(
  keys: readonly AttributionKey[],
  { sealedKeyId, idempotencyMac }: Trailer,
): string[] {
  return keys.map((key) => {
    const cipher = createDecipheriv(CIPHER, deriveSecrets(key).sealing, hexToBytes(idempotencyMac));
    return toUuid(Buffer.concat([cipher.update(hexToBytes(sealedKeyId)), cipher.final()]));
  });
}

/**
 * Returns the MACs of a name under each server key, the current one first: a trailer has one of them, by the key that was current
 * then.
 */
export function macsOf(
  keys: readonly AttributionKey[],
  scope: NameScope,
  kind: NameKind,
  value: string,
): Hex[] {
  return keys.map((key) => macOf(deriveSecrets(key), scope, kind, value));
}

/** MACs of a request's names under each server key; none for a missing name. */
export type NameMacs = Record<NameKind, readonly Hex[]>;

/** Returns the MACs by which a re-created request is recognised as this one. */
export function macsOfNames(
  keys: readonly AttributionKey[],
  scope: NameScope,
  names: RequestNames,
): NameMacs {
  const of = (kind: NameKind): Hex[] => {
    const value = names[kind];
    return value === null ? [] : macsOf(keys, scope, kind, value);
  };
  return {
    idempotencyKey: of("idempotencyKey"),
    clientOrderId: of("clientOrderId"),
    inputHash: of("inputHash"),
  };
}

interface Secrets {
  authentication: Uint8Array;
  sealing: Uint8Array;
}

const SECRET_BYTES = 32;

/** Derives the secrets of trailers from a server key, so that the key of attributions signs nothing else. */
function deriveSecrets({ key }: AttributionKey): Secrets {
  const bytes = new Uint8Array(hkdfSync("sha256", key, "", "partner-trading send trailer", 2 * SECRET_BYTES));
  return { authentication: bytes.subarray(0, SECRET_BYTES), sealing: bytes.subarray(SECRET_BYTES) };
}

/** Returns the MAC of a name. Its value comes last, and no part before it has a line break, so the text is unambiguous. */
function macOf({ authentication }: Secrets, scope: NameScope, kind: NameKind, value: string): Hex {
  const { keyId, chainId, productType } = scope;
  const mac = createHmac("sha256", authentication)
    .update([kind, keyId, chainId, productType, value].join("\n"), "utf8")
    .digest();
  return bytesToHex(mac.subarray(0, FIELD_BYTES));
}

/** A key id is one block, and the counter begins at the first MAC: two trailers that share it have the same key id. */
const CIPHER = "aes-256-ctr";

function sealKeyId({ sealing }: Secrets, keyId: string, nonce: Hex): Hex {
  const cipher = createCipheriv(CIPHER, sealing, hexToBytes(nonce));
  const sealed = Buffer.concat([cipher.update(keyId.replaceAll("-", ""), "hex"), cipher.final()]);
  if (sealed.length !== FIELD_BYTES) throw new Error("the id of an API key is not a UUID");
  return bytesToHex(sealed);
}

function toUuid(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
