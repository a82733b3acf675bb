// Prints "N passed, N failed, N skipped" from the results that jest wrote, and before it why a stage may not pass
// (results.mjs). Exits 1 unless every stage left results and none failed.
import { judgeStage } from "./results.mjs";
import { root, STAGES } from "./stages.mjs";

const judged = STAGES.filter((stage) => stage.results).map((stage) => judgeStage(stage, root));
const sum = (kind) => judged.reduce((total, stage) => total + stage[kind], 0);
for (const problem of judged.flatMap(({ problems }) => problems)) process.stderr.write(`${problem}\n`);
process.stdout.write(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped\n`);
process.exit(sum("failed") === 0 ? 0 : 1);
