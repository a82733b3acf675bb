/**
 * Form of the suffixes that are built here (suffix.ts), as a regular expression that TypeScript and PostgreSQL read alike. Every
 * valid suffix has it: what has another form is of another application, and attributes nothing.
 */
export const OWN_FORM = [
  "^0xa1616da4",
  // The key's public id: a text of 1 to 64 bytes.
  "616b(6[1-9a-f]|7[0-7]|78[1-4][0-9a-f])([0-9a-f]{2}){1,64}",
  // The user, the random bytes, the code.
  "617554[0-9a-f]{40}616e50[0-9a-f]{32}616d5820[0-9a-f]{64}",
  // The length, the schema, the marker of ERC-8021.
  "[0-9a-f]{4}02(8021){8}$",
].join("");

const ownForm = new RegExp(OWN_FORM);

export const hasOwnForm = (suffix: string): boolean => ownForm.test(suffix);
