import { operations } from "../http/openapi.ts";

export type Language = "TypeScript" | "Python" | "curl";

export interface Sample {
  /** The operation, by its `x-client-method`. */
  id: string;
  source: string;
}

/** The outcome of a sample: the data of a success, or the error. */
export interface SampleOutcome {
  id: string;
  data?: unknown;
  errCode?: string;
  message?: string;
}

interface CodeSample {
  label: string;
  source: string;
}

/** Returns the samples of every operation in a language, as the document has them. */
export function samplesIn(language: Language): Sample[] {
  return operations.map(({ spec }) => {
    const samples = spec["x-codeSamples"] as CodeSample[];
    const found = samples.find(({ label }) => label === language);
    if (!found) throw new Error(`${spec.operationId} has no sample in ${language}`);
    return { id: String(spec["x-client-method"]), source: found.source };
  });
}
