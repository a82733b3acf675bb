import { alternativesOf, asJson, type Json, resolve, valuesOf } from "./json-schema.ts";

interface Failure {
  status: string;
  code: unknown;
  retryable: string;
}

/** Returns the refusals of an operation, by errCode. */
function failuresOf(document: Json, operation: Json): Map<string, Failure> {
  const found = new Map<string, Failure>();
  for (const [status, response] of Object.entries(asJson(operation.responses))) {
    const content = asJson(asJson(resolve(document, response).content)["application/json"]);
    if (Number(status) < 400) continue;
    for (const alternative of alternativesOf(document, content.schema)) {
      const values = (name: string) => {
        const [property] = alternativesOf(document, asJson(alternative.properties)[name] ?? {});
        return valuesOf(property ?? {}) ?? [];
      };
      const [code] = values("code");
      const retryable = values("retryable").map(String).sort().join(" or ");
      for (const errCode of values("errCode")) found.set(String(errCode), { status, code, retryable });
    }
  }
  return found;
}

/** Returns the codes that envelopes of failures carry anywhere in a document. */
function codesOf(document: Json, operations: readonly Json[]): Set<unknown> {
  return new Set(
    operations.flatMap((each) => [...failuresOf(document, each).values()].map(({ code }) => code)),
  );
}

/** Compares the refusals of operations: partners decide by errCode, and by `code` where they do not know it. */
export function createFailureComparison(released: Json, current: Json, operations: readonly Json[]) {
  const codes = codesOf(released, operations);
  return (before: Json, after: Json): string[] => {
    const [old, now] = [failuresOf(released, before), failuresOf(current, after)];
    const changed = [...old].flatMap(([errCode, was]) => {
      const is = now.get(errCode);
      if (!is) return [`${errCode} is gone`];
      return (["status", "code", "retryable"] as const)
        .filter((key) => was[key] !== is[key])
        .map((key) => `${key} of ${errCode} was ${was[key]} and is ${is[key]}`);
    });
    const unknown = [...now].filter(([errCode, { code }]) => !old.has(errCode) && !codes.has(code));
    return [
      ...changed,
      ...unknown.map(([errCode, { code }]) => `${errCode} has a code that is new: ${code}`),
    ];
  };
}
