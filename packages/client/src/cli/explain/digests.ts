import { createHash, createHmac } from "node:crypto";

/** A wrong way to sign a string with a secret. */
export interface SignatureMistake {
  does: string;
  fix: string;
  sign: (payload: string, secret: string, apiKey: string) => string;
}

const hmac = (payload: string, key: string | Buffer, algorithm = "sha256") =>
  createHmac(algorithm, key).update(payload, "utf8");
const hash = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

/** Returns the right signature. */
export const rightSignature = (payload: string, secret: string): string =>
  hmac(payload, secret).digest("hex");

const SECRET_FIX =
  "Use the secret's characters as they were given to you, as UTF-8: trimmed, unquoted, not decoded.";

function withSecret(
  does: string,
  change: (secret: string, apiKey: string) => string | Buffer,
): SignatureMistake {
  const sign: SignatureMistake["sign"] = (payload, secret, apiKey) =>
    hmac(payload, change(secret, apiKey)).digest("hex");
  return { does, fix: SECRET_FIX, sign };
}

/** Mistakes with the secret and with the digest. Hex digits may be of either case. */
export const SIGNATURE_MISTAKES: readonly SignatureMistake[] = [
  withSecret("uses the secret with whitespace behind it: a newline", (secret) => `${secret}\n`),
  withSecret(
    "uses the secret with whitespace behind it: a carriage return and newline",
    (secret) => `${secret}\r\n`,
  ),
  withSecret("uses the secret with whitespace behind it: a carriage return", (secret) => `${secret}\r`),
  withSecret("uses the secret with whitespace behind it: a blank", (secret) => `${secret} `),
  withSecret("uses the secret with whitespace before it: a blank", (secret) => ` ${secret}`),
  withSecret("uses the secret with its quotes", (secret) => `"${secret}"`),
  withSecret("uses the secret with its quotes", (secret) => `'${secret}'`),
  withSecret("decodes the secret as base64", (secret) => Buffer.from(secret, "base64")),
  withSecret("decodes the secret as hex", (secret) => Buffer.from(secret, "hex")),
  withSecret("uses no secret: it is empty", () => ""),
  withSecret("uses no secret: it is the word undefined", () => "undefined"),
  withSecret("uses no secret: it is the word null", () => "null"),
  withSecret("uses the API key in place of the secret", (_secret, apiKey) => apiKey),
  {
    does: "writes the signature in base64",
    fix: "Write it in hex: 64 digits.",
    sign: (payload, secret) => hmac(payload, secret).digest("base64"),
  },
  {
    does: "writes the signature in base64url",
    fix: "Write it in hex: 64 digits.",
    sign: (payload, secret) => hmac(payload, secret).digest("base64url"),
  },
  {
    does: "encodes the hex digits once more, in base64",
    fix: "Send the 64 hex digits themselves.",
    sign: (payload, secret) => Buffer.from(rightSignature(payload, secret)).toString("base64"),
  },
  ...["sha1", "sha384", "sha512"].map((algorithm) => ({
    does: `uses HMAC-${algorithm.toUpperCase()}`,
    fix: "Use HMAC-SHA256.",
    sign: (payload: string, secret: string) => hmac(payload, secret, algorithm).digest("hex"),
  })),
  {
    does: "exchanges the secret and the string",
    fix: "The secret is the key of the HMAC, the string its message; the order of arguments differs among libraries.",
    sign: (payload, secret) => hmac(secret, payload).digest("hex"),
  },
  ...[
    (payload: string, secret: string) => secret + payload,
    (payload: string, secret: string) => payload + secret,
    (payload: string) => payload,
  ].map((join) => ({
    does: "uses a plain SHA-256",
    fix: "Use HMAC-SHA256, with the secret as its key.",
    sign: (payload: string, secret: string) => hash(join(payload, secret)),
  })),
];

/** Returns a signature in comparable form: hex digits of either case are the same, base64 is not. */
export const normalizedSignature = (text: string): string =>
  /^[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
