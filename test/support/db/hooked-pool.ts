import type pg from "pg";

/** Returns a pool that calls a function before each statement of its connections, with its text and the connection. */
export function hookedPool(
  of: pg.Pool,
  before: (text: string, client: pg.PoolClient) => Promise<unknown>,
): pg.Pool {
  const hooked = (client: pg.PoolClient) =>
    new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== "query") return typeof value === "function" ? value.bind(target) : value;
        return async (...args: unknown[]) => {
          await before(textOf(args[0]), target);
          return Reflect.apply(target.query, target, args);
        };
      },
    });
  return new Proxy(of, {
    get: (target, name) => {
      if (name === "connect") return async () => hooked(await target.connect());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Returns the text of a statement as `pg` takes it: by itself, or with a name. */
const textOf = (statement: unknown): string =>
  typeof statement === "object" && statement !== null && "text" in statement
    ? String(statement.text)
    : String(statement);
