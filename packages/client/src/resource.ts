import { ApiCall, ListCall, type Page } from "./call.ts";
import type { RequestOptions } from "./options.ts";
import type { Method, RequestParts } from "./request.ts";
import type { Transport } from "./transport.ts";

/** A text that the service accepts as one segment of a path. */
const SEGMENT = /^[A-Za-z0-9\-._~!$&'()*+,;=:@]+$/;

/** A group of operations. Its methods are generated (`npm run client:generate`). */
export class Resource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected call<T>(
    method: Method,
    target: string,
    parts: RequestParts,
    options?: RequestOptions,
  ): ApiCall<T> {
    return new ApiCall(this.#transport.send<T>(method, target, parts, options));
  }

  protected callPaged<P extends Page>(
    target: string,
    query: object | undefined,
    options: RequestOptions | undefined,
    cursorName: "cursor" | "after",
  ): ListCall<P> {
    const read = (more: object) =>
      this.#transport.send<P>("GET", target, { query: { ...query, ...more } }, options);
    // A cursor replaces the number of a page.
    return new ListCall(read({}), (cursor) => read({ page: undefined, [cursorName]: cursor }));
  }
}

/**
 * Inserts values into a path.
 * @throws TypeError where a value is not a single segment, so that none leads to another endpoint
 */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.reduce((text, part, index) => text + checkSegment(values[index - 1]) + part);
}

function checkSegment(value: unknown): string {
  if (typeof value === "string" && SEGMENT.test(value) && !/^\.{1,2}$/.test(value)) return value;
  throw new TypeError(
    `${JSON.stringify(value) ?? "undefined"} cannot stand in a path: is it the right argument?`,
  );
}
