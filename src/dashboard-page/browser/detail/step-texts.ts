/** Gaps below it are noise. */
const GAP_SECONDS_MIN = 1;

/** Returns how long after the last step with a time a step happened, seconds; null where that says nothing. */
export function gapBefore(
  steps: readonly { at: number | null; state: string }[],
  index: number,
): number | null {
  const step = steps[index];
  if (!step || step.at === null || step.state === "expected") return null;
  const before = steps.slice(0, index).findLast(({ at }) => at !== null)?.at;
  const gap = before === null || before === undefined ? 0 : step.at - before;
  return gap >= GAP_SECONDS_MIN ? gap : null;
}

/** Returns a URL of the deployments file that a link may hold; null for any other scheme. */
export const safeUrl = (url: string | null): string | null =>
  url !== null && /^https?:\/\//i.test(url) ? url : null;
