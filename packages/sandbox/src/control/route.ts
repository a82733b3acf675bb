import type { z } from "zod";
import type { ControlContext } from "./context.ts";

/** A command for scripts. */
export interface Route {
  method: "GET" | "POST";
  /** Express form: `:name` for parameters. */
  path: string;
  does: string;
  /** The body's fields, `?` after the optional ones. */
  fields: string[];
  /** @throws z.ZodError, ControlError, SettlerRevert */
  handle(context: ControlContext, params: unknown, body: unknown): Promise<unknown>;
}

interface Definition<P extends z.ZodObject, B extends z.ZodObject> {
  method: Route["method"];
  path: string;
  does: string;
  params: P;
  body: B;
  run(context: ControlContext, params: z.output<P>, body: z.output<B>): unknown;
}

export function route<P extends z.ZodObject, B extends z.ZodObject>(definition: Definition<P, B>): Route {
  const { method, path, does, params, body, run } = definition;
  return {
    method,
    path,
    does,
    fields: Object.entries(body.shape).map(([name, field]) =>
      field.safeParse(undefined).success ? `${name}?` : name,
    ),
    handle: async (context, rawParams, rawBody) => run(context, params.parse(rawParams), body.parse(rawBody)),
  };
}
