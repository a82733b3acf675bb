import type { ProblemsQuery } from "../service/documents.ts";
import { useSession } from "../service/session.ts";
import type { Answer } from "../service/use-ask.ts";
import { duration } from "../values/format.ts";
import { useNow } from "../values/use-now.ts";
import { knownOf, TONES, toneOf, viewOf } from "./problems.ts";
import { hrefOf } from "./route.ts";

/**
 * Shows what is wrong now, with links to where it shows: all of it on the overview, the worst elsewhere. That nothing is wrong it says on
 * the overview alone, and only while it knows.
 */
export function StatusStrip({ state, isOverview }: { state: Answer<ProblemsQuery>; isOverview: boolean }) {
  const { live } = useSession();
  const now = useNow();
  const reading = { ...state, data: state.data?.dashboard ?? null };
  const known = knownOf(reading, live.mode(), now);
  const problems = known.kind === "known" ? known.problems : [];
  if (!isOverview && problems.length === 0 && known.kind !== "unreachable" && live.mode() !== "stopped")
    return null;
  const shown = isOverview ? problems : problems.slice(0, 1);
  const more = problems.length - shown.length;
  return (
    <section class="strip" aria-label="What is wrong now" data-tone={toneOf(known)}>
      {known.kind === "unreachable" && <p role="status">{known.text}</p>}
      {known.kind === "unknown" && (
        <p role="status" class={live.mode() === "stopped" ? undefined : "loading"}>
          {known.text}
        </p>
      )}
      {known.kind === "known" && problems.length === 0 && (
        <p role="status">Everything works: all chains are indexed, and every wallet sends.</p>
      )}
      {shown.length > 0 && (
        <div role="status">
          <ul>
            {shown.map((problem) => (
              <li key={problem.text} data-tone={TONES[problem.severity]}>
                <a href={viewOf(problem)}>{problem.text}</a>
                {problem.since !== null && (
                  <span class="age" aria-live="off">
                    {" "}
                    for {duration(Math.max(0, now / 1_000 - problem.since))}
                  </span>
                )}
                {more > 0 && (
                  <>
                    {" "}
                    <a href={hrefOf(["overview"])}>and {more} more</a>
                  </>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
