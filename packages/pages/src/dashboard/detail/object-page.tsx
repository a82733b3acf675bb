import type { ComponentChildren } from "preact";
import { Problem } from "../frame/problem.tsx";
import type { Answer } from "../service/use-ask.ts";
import { Code, Status } from "../values/values.tsx";

interface Props {
  /** Noun of the object, such as "webhook". */
  noun: string;
  id: string;
  title: string;
  word?: string | undefined;
  answer: Pick<Answer<unknown>, "data" | "error" | "isLoading" | "reload">;
  isFound: boolean;
  /** Text beside that there is none. */
  hint?: string;
  children: ComponentChildren;
}

/** Frame of an object's page: its title, and what shows in its place while it is read or where there is none. */
export function ObjectPage({ noun, id, title, word, answer, isFound, hint, children }: Props) {
  const { data, error, isLoading, reload } = answer;
  return (
    <section aria-label={title} aria-busy={isLoading} class="detail">
      <div class="title">
        <h1>{title}</h1>
        {word && <Status word={word} />}
      </div>
      {error && <Problem text={error} onRetry={reload} />}
      {data === null && !error && <p class="loading">Loading…</p>}
      {data !== null && !isFound && (
        <p class="empty">
          There is no {noun} with the id <Code value={id} />.{hint && ` ${hint}`}
        </p>
      )}
      {isFound && children}
    </section>
  );
}
