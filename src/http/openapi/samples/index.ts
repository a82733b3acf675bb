import type { JsonSchema } from "../../graphql/scalars.ts";
import { type SampleParts, sampleCall } from "./call.ts";
import { curlSample } from "./curl.ts";
import { pythonSample } from "./python.ts";
import { typescriptSample } from "./typescript.ts";

/**
 * Returns an operation's samples as `x-codeSamples`, which reference pages show: one request, in each language. The tests run
 * every one of them against the sandbox (test/e2e/samples.test.ts).
 */
export function codeSamples(parts: SampleParts): JsonSchema[] {
  const call = sampleCall(parts);
  return [
    { lang: "typescript", label: "TypeScript", source: typescriptSample(call).trimEnd() },
    { lang: "python", label: "Python", source: pythonSample(call).trimEnd() },
    { lang: "shell", label: "curl", source: curlSample(call).trimEnd() },
  ];
}
