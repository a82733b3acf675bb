import type { Readiness } from "../service/ask.ts";
import { type Chain, type Problem, problemsOf } from "./problems.ts";

interface Props {
  chains: readonly Chain[];
  readiness: Readiness | null | undefined;
  /** Warnings that the rest is not current; empty where it is. */
  stale: readonly Problem[];
  /** Problems that belong to no chain. */
  more: readonly Problem[];
}

/** Shows the present problems, each with a link to its view, or that there are none. */
export function StatusStrip({ chains, readiness, stale, more }: Props) {
  const problems = [...stale, ...problemsOf(chains, readiness), ...more];
  return (
    <section class="strip" aria-label="What is wrong now" data-tone={problems[0]?.tone ?? "good"}>
      {problems.length === 0 ? (
        <p role="status">Everything works: all chains are indexed, and every wallet sends.</p>
      ) : (
        <ul role="status">
          {problems.map(({ text, tone, href }) => (
            <li key={text} data-tone={tone}>
              <a href={href}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
