import { createHash, randomBytes } from "node:crypto";

/** Scanners of leaked secrets, and people, recognise a token by it. */
const PREFIX = "dash_";
const TOKEN = /^dash_[\w-]{43}$/;

/** Returns a new token of a dashboard user: 256 random bits behind the prefix. */
export const newToken = (): string => `${PREFIX}${randomBytes(32).toString("base64url")}`;

/** Returns true where a text has the form of a token; anything else needs no look-up. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/**
 * Returns what is stored of a token, and what it is looked up by. A plain SHA-256 is enough: a slow hash protects what
 * people choose and others can guess, and nobody guesses 256 random bits. Looking it up in an index reveals nothing either:
 * how far a hash agrees with a stored one says nothing about the token that would agree further.
 */
export const hashToken = (token: string): Buffer => createHash("sha256").update(token, "utf8").digest();
