import type pg from "pg";

/** Returns a pool whose connections break after a number of statements, with what was not committed. */
export function dyingPool(pool: pg.Pool, statements: number): pg.Pool {
  let left = statements;
  const dying = (client: pg.PoolClient) =>
    new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== "query") return typeof value === "function" ? value.bind(target) : value;
        return (...args: unknown[]) => {
          if (left-- <= 0) throw new Error("died");
          return Reflect.apply(target.query, target, args);
        };
      },
    });
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === "connect") return async () => dying(await target.connect());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
