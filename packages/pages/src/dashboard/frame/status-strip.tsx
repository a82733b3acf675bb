import type { ProblemsQuery } from "../service/documents.ts";
import { useSession } from "../service/session.ts";
import type { Answer } from "../service/use-ask.ts";
import { duration } from "../values/format.ts";
import { useNow } from "../values/use-now.ts";
import { knownOf, viewOf } from "./problems.ts";

const TONES = { critical: "bad", warning: "warn" } as const;

/**
 * Shows what is wrong now, each with a link to its view. That nothing is, it says on the overview alone, and only while it knows.
 * @param isOverview true on the overview
 */
export function StatusStrip({ state, isOverview }: { state: Answer<ProblemsQuery>; isOverview: boolean }) {
  const { live } = useSession();
  const now = useNow();
  const reading = { ...state, data: state.data?.dashboard ?? null };
  const known = knownOf(reading, live.mode(), now);
  if (known.kind === "known" && known.problems.length === 0 && !isOverview) return null;
  return (
    <section class="strip" aria-label="What is wrong now" data-tone={toneOf(known)}>
      {known.kind !== "known" && <p role="status">{known.text}</p>}
      {known.kind === "known" && known.problems.length === 0 && (
        <p role="status">Everything works: all chains are indexed, and every wallet sends.</p>
      )}
      {known.kind === "known" && known.problems.length > 0 && (
        <ul role="status">
          {known.problems.map((problem) => (
            <li key={problem.text} data-tone={TONES[problem.severity]}>
              <a href={viewOf(problem)}>{problem.text}</a>
              {problem.since !== null && (
                <span class="age" aria-live="off">
                  {" "}
                  {duration(Math.max(0, now / 1_000 - problem.since))}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function toneOf(known: ReturnType<typeof knownOf>): string {
  if (known.kind === "unreachable") return "bad";
  if (known.kind === "unknown") return "none";
  const [worst] = known.problems;
  return worst ? TONES[worst.severity] : "good";
}
