/** A secret that was in play, and what it was. */
export interface Secret {
  what: string;
  secret: string;
}

/** Length of the prefix that is searched first: long enough that it occurs by chance nowhere. */
const PREFIX = 16;

/** Finds any of very many secrets in a text of any length, in their own form, as hex and as base64, in any case. */
export function createLeakFinder(secrets: readonly Secret[]): (text: string) => Secret[] {
  const byPrefix = new Map<string, { form: string; secret: Secret }[]>();
  for (const secret of secrets) {
    for (const form of formsOf(secret.secret)) {
      if (form.length < PREFIX) throw new Error(`a ${secret.what} is too short to be looked for`);
      const prefix = form.slice(0, PREFIX);
      const known = byPrefix.get(prefix);
      if (!known) byPrefix.set(prefix, [{ form, secret }]);
      else if (!known.some((other) => other.form === form)) known.push({ form, secret });
    }
  }
  return (text) => {
    const lower = text.toLowerCase();
    const found = new Set<Secret>();
    for (let at = 0; at + PREFIX <= lower.length; at++) {
      for (const { form, secret } of byPrefix.get(lower.slice(at, at + PREFIX)) ?? []) {
        if (lower.startsWith(form, at)) found.add(secret);
      }
    }
    return [...found];
  };
}

function formsOf(secret: string): string[] {
  const plain = secret.replace(/^0x/i, "");
  const bytes = Buffer.from(secret, "utf8");
  const raw = /^([0-9a-f]{2})+$/i.test(plain) ? [Buffer.from(plain, "hex").toString("base64")] : [];
  const encoded = [bytes.toString("hex"), bytes.toString("base64")];
  return [plain, ...encoded, ...raw].map((form) => form.replace(/=+$/, "").toLowerCase());
}
