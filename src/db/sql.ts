/**
 * A statement, or a part of one: its text in pieces, and the values between them. A value is never in the text. Parts nest.
 * Apart from Prisma, so that an operator's command that does not use it does not load it.
 */
export class Sql {
  readonly strings: string[];
  readonly values: unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = [];
    this.values = [];
    let open = strings[0] ?? "";
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      const behind = strings[index + 1] ?? "";
      if (value instanceof Sql) {
        const [first = "", ...others] = value.strings;
        this.strings.push(open + first, ...others);
        this.values.push(...value.values);
        open = this.strings.pop() + behind;
      } else {
        this.strings.push(open);
        this.values.push(value);
        open = behind;
      }
    }
    this.strings.push(open);
  }

  /** As PostgreSQL takes it: with `$1` in place of the first value. */
  get text(): string {
    let text = this.strings[0] ?? "";
    for (let index = 1; index < this.strings.length; index++) text += `$${index}${this.strings[index]}`;
    return text;
  }
}

/** Returns a statement, or a part of one. */
export const sql = (strings: readonly string[], ...values: unknown[]): Sql => new Sql(strings, values);

/** Returns a text of the code's own as a part, such as the name of a column. Nothing from outside may be in it. */
export const raw = (text: string): Sql => new Sql([text], []);

/** Stands for a part that is left out. */
export const empty = raw("");

/** Returns parts or values one behind the other. */
export function join(parts: readonly unknown[], separator = ", "): Sql {
  if (parts.length === 0) throw new TypeError("there is nothing to join");
  return new Sql(["", ...parts.slice(1).map(() => separator), ""], parts);
}
