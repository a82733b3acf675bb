import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";

type Run = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Sofa makes its documents once, at start, so each one is compiled once, when it is first met. */
const prepared = new WeakMap<DocumentNode, Run>();

/**
 * Runs a document, compiled (sofa's `execute` hook): `npm run bench:rest` measures what that saves. Where a document cannot be
 * compiled it is interpreted.
 */
export function executeCompiled(args: ExecutionArgs): ReturnType<Run> {
  const run = prepared.get(args.document) ?? prepare(args);
  return run(args);
}

function prepare({ schema, document }: ExecutionArgs): Run {
  const compiled = compileQuery(schema, document);
  const run: Run = isCompiledQuery(compiled)
    ? ({ contextValue, variableValues }) => compiled.query(undefined, contextValue, variableValues)
    : execute;
  prepared.set(document, run);
  return run;
}
