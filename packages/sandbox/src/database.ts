import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import pg from "pg";
import { createRoles, ROLES, type RoleName } from "../../../src/db/roles.ts";

/** A connection URL for the sandbox itself, and one for each program. */
export type DatabaseUrls = Record<RoleName | "admin", string>;

/** Returns the URLs for a database of the caller's own: every program connects with the role in its URL. */
export function sharedUrls(url: string): DatabaseUrls {
  return { admin: url, owner: url, api: url, worker: url, deliverer: url, indexer: url, operator: url };
}

/**
 * Creates the roles of production in the embedded database, and sets their passwords.
 * @param adminUrl of a superuser
 */
export async function separateRoles(
  adminUrl: string,
  passwords: Record<RoleName, string>,
): Promise<DatabaseUrls> {
  await createRoles(adminUrl);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const name of Object.keys(ROLES) as RoleName[]) {
      // A verifier, so that no log of statements holds the password.
      const verifier = pg.escapeLiteral(scramVerifier(passwords[name]));
      await client.query(`ALTER ROLE ${pg.escapeIdentifier(ROLES[name])} PASSWORD ${verifier}`);
    }
  } finally {
    await client.end();
  }
  const urlOf = (name: RoleName): string => {
    const url = new URL(adminUrl);
    url.username = ROLES[name];
    url.password = passwords[name];
    return url.href;
  };
  return {
    admin: adminUrl,
    owner: urlOf("owner"),
    api: urlOf("api"),
    worker: urlOf("worker"),
    deliverer: urlOf("deliverer"),
    indexer: urlOf("indexer"),
    operator: urlOf("operator"),
  };
}

const SCRAM_ITERATIONS = 4096;

/**
 * Returns PostgreSQL's stored form of a password (RFC 5803), which it also accepts in place of one. Nobody can log in with it, nor
 * derive a random password from it, so it may appear where others can read: in arguments of processes and temporary files.
 */
function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(keyed("Client Key")).digest("base64");
  const serverKey = keyed("Server Key").toString("base64");
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
