import { isDeepStrictEqual } from "node:util";
import { comparable } from "./comparable.ts";
import { createFailureComparison } from "./failures.ts";
import { asJson, asList, isJson, type Json, resolve } from "./json-schema.ts";
import { type Direction, faultsOf } from "./schemas.ts";

/**
 * Returns what of an OpenAPI document breaks clients of the released one; nothing where all of them go on working
 * (docs/versioning.md). Additions are no break: of operations, optional inputs, fields of answers, values of extensible enums,
 * and errCodes with a known code.
 */
export function breakingChanges(releasedDocument: Json, currentDocument: Json): string[] {
  const [released, current] = [comparable(releasedDocument), comparable(currentDocument)];
  const before = operationsOf(released);
  const after = operationsOf(current);
  const operations = new Comparison(released, current, [...before.values()]);
  const found = [...before].flatMap(([name, operation]) => {
    const now = after.get(name);
    return now
      ? operations.compare(operation, now).map((fault) => `${name}: ${fault}`)
      : [`${name}: is gone`];
  });
  return [...new Set([...found, ...operations.compareShared()])];
}

export function operationsOf(document: Json): Map<string, Json> {
  const paths = Object.entries(asJson(document.paths));
  return new Map(
    paths.flatMap(([path, item]) =>
      Object.entries(asJson(item)).map(([method, operation]) => [`${method} ${path}`, asJson(operation)]),
    ),
  );
}

class Comparison {
  readonly released: Json;
  readonly current: Json;
  readonly compareFailures: (before: Json, after: Json) => string[];

  constructor(released: Json, current: Json, operations: readonly Json[]) {
    this.released = released;
    this.current = current;
    this.compareFailures = createFailureComparison(released, current, operations);
  }

  /** Compares what no operation has to itself: how requests are signed, and the envelopes. */
  compareShared(): string[] {
    const [before, after] = [asJson(this.released.components), asJson(this.current.components)];
    const signing = (document: Json) => [document.security, asJson(document.components).securitySchemes];
    return [
      ...(isDeepStrictEqual(signing(this.released), signing(this.current)) ? [] : ["security: differs"]),
      ...["Failure", "Unauthorized"].flatMap((name) =>
        this.schema(asJson(before.schemas)[name], asJson(after.schemas)[name], "output").map(
          (fault) => `${name}${fault}`,
        ),
      ),
    ];
  }

  compare(before: Json, after: Json): string[] {
    // Generated clients call operations by these.
    const names = ["operationId", "x-client-method"].filter((key) => before[key] !== after[key]);
    return [
      ...names.map((key) => `${key} was ${before[key]} and is ${after[key]}`),
      ...this.parameters(before, after),
      ...this.body(before, after),
      ...this.answers(before, after),
      ...this.compareFailures(before, after),
    ];
  }

  parameters(before: Json, after: Json): string[] {
    const old = parametersOf(this.released, before);
    const now = parametersOf(this.current, after);
    const required = [...now].filter(([name, each]) => each.required && !old.get(name)?.required);
    return [
      ...required.map(([name]) => `${name} is required now`),
      ...[...old].flatMap(([name, was]) => {
        const is = now.get(name);
        if (!is) return [`${name} is gone`];
        return this.schema(was.schema, is.schema, "input").map((fault) => `${name}${fault}`);
      }),
    ];
  }

  body(before: Json, after: Json): string[] {
    const [was, is] = [asJson(before.requestBody), asJson(after.requestBody)];
    const required = is.required === true && was.required !== true ? ["a body is required now"] : [];
    return [...required, ...this.contents(was, is, "input")];
  }

  /** Compares successes; failures have rules of their own. */
  answers(before: Json, after: Json): string[] {
    return Object.entries(asJson(before.responses)).flatMap(([status, response]) => {
      const was = resolve(this.released, response);
      const found = asJson(after.responses)[status];
      if (found === undefined) return [`answer ${status} is gone`];
      const is = resolve(this.current, found);
      const names = Object.keys(asJson(was.headers)).filter((name) => !(name in asJson(is.headers)));
      const headers = names.map((name) => `answer ${status}: header ${name} is gone`);
      return [...headers, ...(Number(status) < 400 ? this.contents(was, is, "output") : [])];
    });
  }

  contents(was: Json, is: Json, direction: Direction): string[] {
    return Object.entries(asJson(was.content)).flatMap(([type, old]) => {
      const now = asJson(is.content)[type];
      if (!isJson(now)) return [`${direction} ${type} is gone`];
      const faults = this.schema(asJson(old).schema, now.schema, direction);
      return faults.map((fault) => `${direction}${fault.startsWith(".") ? "" : " "}${fault}`);
    });
  }

  schema(before: unknown, after: unknown, direction: Direction): string[] {
    const was = { document: this.released, schema: before };
    const is = { document: this.current, schema: after };
    return direction === "input" ? faultsOf(is, was, direction) : faultsOf(was, is, direction);
  }
}

function parametersOf(document: Json, operation: Json): Map<string, Json> {
  const list = asList(operation.parameters).map((each) => resolve(document, each));
  return new Map(list.map((each) => [`${each.in} ${String(each.name).toLowerCase()}`, each]));
}
