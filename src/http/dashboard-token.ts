import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Makes the check of a dashboard's `Authorization: Bearer <token>`. Every token is compared, by digests of equal
 * length, so that the time taken reveals nothing. Without tokens nobody passes.
 */
export function createTokenCheck(tokens: readonly string[]): (authorization: string | undefined) => boolean {
  const digests = tokens.map(digest);
  return (authorization) => {
    const sent = digest(/^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "");
    let found = false;
    for (const known of digests) found = timingSafeEqual(known, sent) || found;
    return found;
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
