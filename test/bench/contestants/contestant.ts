import type { Call, SigningKey } from "../load/job.ts";

/** A server that is measured against others, and the requests that it answers. */
export interface Contestant {
  name: string;
  /** Scheme, host and port. */
  url: string;
  calls: Call[];
  keys: SigningKey[];
  /** Counts 503 in place of ending the run. */
  allowUnavailable?: boolean;
  /** Begins what happens while it is measured. @returns ends it */
  beside?: () => () => Promise<void>;
}
