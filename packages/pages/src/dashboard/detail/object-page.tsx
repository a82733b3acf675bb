import type { ComponentChildren } from "preact";
import { Freshness, type Reading, ReadingState } from "../frame/reading.tsx";
import { shortCode } from "../values/format.ts";
import { Status } from "../values/values.tsx";

interface Props {
  /** Noun of the object, such as "webhook". */
  noun: string;
  id: string;
  title: string;
  word?: string | undefined;
  answer: Reading;
  isFound: boolean;
  /** Text beside that there is none. */
  hint?: string;
  children: ComponentChildren;
}

/** Frame of an object's page: its title, and what shows in its place while it is read or where there is none. */
export function ObjectPage({ noun, id, title, word, answer, isFound, hint, children }: Props) {
  const { data, isLoading } = answer;
  return (
    <section aria-label={title} aria-busy={isLoading} class="detail">
      <div class="title">
        <h1>{title}</h1>
        {word && <Status word={word} />}
        <Freshness answer={answer} />
      </div>
      <ReadingState answer={answer} />
      {data !== null && !isFound && (
        <p class="empty">
          There is no {noun} with the id <code title={id}>{shortCode(id)}</code>.{hint && ` ${hint}`}
        </p>
      )}
      {isFound && children}
    </section>
  );
}
