import { createHash, randomBytes } from "node:crypto";

/** Marks a token, for people and for scanners of leaked secrets. */
const PREFIX = "dash_";
const TOKEN = /^dash_[\w-]{43}$/;

/** Returns a new token of a dashboard user: 256 random bits behind the prefix. */
export const newToken = (): string => `${PREFIX}${randomBytes(32).toString("base64url")}`;

/** Returns true where a text has the form of a token; anything else needs no look-up. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/**
 * Returns the stored form of a token, by which it is looked up. A plain SHA-256 is enough: slow hashes protect secrets that can
 * be guessed, and 256 random bits cannot. Looking the hash up in an index reveals nothing either: how far it agrees with a stored
 * one gives no information about a token that would agree further.
 */
export const hashToken = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();
