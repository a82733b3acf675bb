import { createHash } from "node:crypto";

/** Returns the MD5 of what an event presents, in the form of a UUID. */
export const hashOf = (data: string): string =>
  createHash("md5")
    .update(data)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
