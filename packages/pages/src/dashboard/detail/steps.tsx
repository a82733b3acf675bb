import type { TimelineOfQuery } from "../service/documents.ts";
import { amount, duration } from "../values/format.ts";
import { Amount, Code, Text, Time } from "../values/values.tsx";

export type TimelineData = NonNullable<TimelineOfQuery["dashboard"]["timeline"]>;
type Step = TimelineData["steps"][number];

/** Addresses, hashes and uuids. */
const CODE = /^(0x[0-9a-f]{40,64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

const STATES: Readonly<Record<Step["state"], string>> = {
  done: "done",
  current: "going on",
  failed: "failed",
  expected: "expected",
};

/** Numbers in a title that have more digits than are read. */
const LONG_FRACTION = /\b\d{1,30}\.\d{7,18}\b/g;

/** Shows the past steps from top to bottom, then the expected ones. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol class="steps">
      {steps.map((step, index) => (
        <li key={`${index} ${step.kind}`} data-state={step.state}>
          <Head step={step} gap={gapBefore(steps, index)} />
          <Detail step={step} />
        </li>
      ))}
    </ol>
  );
}

function Head({ step, gap }: { step: Step; gap: number | null }) {
  return (
    <div class="head">
      <span class="what">
        {step.title.replace(LONG_FRACTION, (number) => amount(number))}
        {step.state !== "done" && <span class="state"> · {STATES[step.state]}</span>}
      </span>
      <span class="when">
        {step.at !== null && <Time at={step.at} />}
        {gap !== null && <span class="gap"> +{duration(gap)}</span>}
      </span>
    </div>
  );
}

function Detail({ step: { blockNumber, txHash, explorerUrl, detail } }: { step: Step }) {
  const explorer = safeUrl(explorerUrl);
  if (blockNumber === null && txHash === null && !explorer && detail.length === 0) return null;
  return (
    <dl class="detail">
      {blockNumber !== null && (
        <div>
          <dt>Block</dt>
          <dd>
            <Text>{blockNumber}</Text>
          </dd>
        </div>
      )}
      {txHash !== null && (
        <div>
          <dt>Transaction</dt>
          <dd>
            <Code value={txHash} />
          </dd>
        </div>
      )}
      {detail.map(({ label, value }, index) => (
        <div key={`${index} ${label}`}>
          <dt>{label}</dt>
          <dd>
            <Value text={value} />
          </dd>
        </div>
      ))}
      {explorer && (
        <div>
          <a href={explorer} target="_blank" rel="noreferrer noopener">
            Open in the explorer
          </a>
        </div>
      )}
    </dl>
  );
}

/** Numbers with a fraction, of shares or mUSD. */
const FRACTION = /^(\d+\.\d+)( mUSD)?$/;

/** Shows an identifier shortened, and an amount in few digits: what is copied has all of it. */
function Value({ text }: { text: string }) {
  if (CODE.test(text)) return <Code value={text} />;
  const [, number, unit] = FRACTION.exec(text) ?? [];
  return number ? <Amount value={number} unit={unit?.trim()} /> : text;
}

/** Shortest gap to show; smaller ones are noise. */
const GAP_SECONDS_MIN = 1;

/** Returns the seconds between the last step with a time and a step; null where that is meaningless. */
function gapBefore(steps: readonly { at: number | null; state: string }[], index: number): number | null {
  const step = steps[index];
  if (!step || step.at === null || step.state === "expected") return null;
  const before = steps.slice(0, index).findLast(({ at }) => at !== null)?.at;
  const gap = before === null || before === undefined ? 0 : step.at - before;
  return gap >= GAP_SECONDS_MIN ? gap : null;
}

/** Returns a URL of the deployments file that a link may hold; null for any other scheme. */
export const safeUrl = (url: string | null): string | null =>
  url !== null && /^https?:\/\//i.test(url) ? url : null;
