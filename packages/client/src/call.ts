import type { Answer } from "./answer.ts";

// biome-ignore lint/suspicious/noExplicitAny: what callers of `catch` expect of a promise
type Reason = any;

/** A call under way: a promise of the answer's data. */
export class ApiCall<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "ApiCall";
  readonly #answer: Promise<Answer<T>>;

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  /** Returns the answer with its metadata: uuid, time, block, cursor, headers. */
  withMeta(): Promise<Answer<T>> {
    return this.#answer;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<R = T, E = never>(
    onFulfilled?: ((data: T) => R | PromiseLike<R>) | null,
    onRejected?: ((reason: Reason) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<E = never>(onRejected?: ((reason: Reason) => E | PromiseLike<E>) | null): Promise<T | E> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }
}

/** A page of a list that is read by cursor. */
export interface Page {
  readonly rows: readonly unknown[];
  readonly nextCursor: string | null;
}

/** A call for a page of a list. `await` gives that page; `for await` gives the rows of all pages from it on. */
export class ListCall<P extends Page> extends ApiCall<P> implements AsyncIterable<P["rows"][number]> {
  readonly #next: (cursor: string) => Promise<Answer<P>>;

  constructor(first: Promise<Answer<P>>, next: (cursor: string) => Promise<Answer<P>>) {
    super(first);
    this.#next = next;
  }

  /** Reads page after page. The cursor stays exact while rows arrive. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let page: P = await this;
    let cursor: string | null = null;
    for (;;) {
      yield page;
      // On its last page, the log of events repeats the cursor of the request.
      if (page.nextCursor === null || page.nextCursor === cursor) return;
      cursor = page.nextCursor;
      ({ data: page } = await this.#next(cursor));
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<P["rows"][number], void, undefined> {
    for await (const { rows } of this.pages()) for (const row of rows) yield row as P["rows"][number];
  }
}
