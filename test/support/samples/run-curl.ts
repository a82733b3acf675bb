import { runProgram } from "../../../packages/client/test/examples.ts";
import type { Sample, SampleOutcome } from "./samples.ts";

const MARK = "== sample ";
/** A stream does not end by itself; its first events come at once. */
const STREAM_SECONDS = 1;

/** Runs samples in one POSIX shell, each in a subshell. */
export async function runCurl(samples: readonly Sample[], env: NodeJS.ProcessEnv): Promise<SampleOutcome[]> {
  const script = samples.map(({ id, source }) => {
    const ending = source.replace("curl -sSN ", `curl -sN --max-time ${STREAM_SECONDS} `);
    return `echo '${MARK}${id}'\n(\n${ending})\necho\n`;
  });
  const printed = await runProgram("sh", ["-c", script.join("")], env);
  return printed.split(MARK).slice(1).map(outcomeOf);
}

function outcomeOf(printed: string): SampleOutcome {
  const end = printed.indexOf("\n");
  const id = printed.slice(0, end);
  const answer = printed.slice(end + 1).trim();
  const event = /^data: ?(.*)$/m.exec(answer)?.[1];
  if (event !== undefined) return { id, data: JSON.parse(event) };
  const { code, data, errCode, errMsg } = JSON.parse(answer);
  return code === 200 ? { id, data } : { id, errCode, message: errMsg };
}
