import {
  alternativesOf,
  asJson,
  asList,
  isJson,
  type Json,
  resolve,
  typesOf,
  valuesOf,
} from "./json-schema.ts";

/** A schema, and the document that its references point into. */
export interface Located {
  document: Json;
  schema: unknown;
}

/** `input`: data that callers send; `output`: data that they read, which may get further fields and values of extensible enums. */
export type Direction = "input" | "output";

/**
 * Returns the reasons why values of `narrow` may not be values of `wide`, each with its place; none where all are. For inputs the
 * released schema is the narrow one, for outputs the current one.
 */
export function faultsOf(wide: Located, narrow: Located, direction: Direction): string[] {
  const compared = new WeakMap<object, WeakMap<object, string[]>>();

  function compare(wideSchema: unknown, narrowSchema: unknown, at: string): string[] {
    const [taker, given] = [asJson(wideSchema), asJson(narrowSchema)];
    const known = compared.get(taker) ?? new WeakMap<object, string[]>();
    compared.set(taker, known);
    // A type that contains itself is compared once.
    const found = known.get(given) ?? [];
    if (!known.has(given)) {
      known.set(given, found);
      found.push(...compareAlternatives(taker, given, at));
    }
    return found;
  }

  function compareAlternatives(wideSchema: Json, narrowSchema: Json, at: string): string[] {
    const takers = alternativesOf(wide.document, wideSchema);
    const isNew = direction === "output" ? newKinds(wide, wideSchema) : () => false;
    const alternatives = alternativesOf(narrow.document, narrowSchema).filter((given) => !isNew(given));
    return alternatives.flatMap((given) => {
      const likely = takers.filter((taker) => mayShare(taker, given));
      const tries = (likely.length > 0 ? likely : takers).map((taker) => compareOne(taker, given, at));
      return tries.reduce((best, each) => (each.length < best.length ? each : best));
    });
  }

  function compareOne(taker: Json, given: Json, at: string): string[] {
    return [
      ...valueFaults(taker, given, direction).map((fault) => `${at}: ${fault}`),
      ...propertyFaults(taker, given, at),
      ...(taker.items === undefined || !mayBe(given, "array")
        ? []
        : compare(taker.items, given.items ?? {}, `${at}[]`)),
    ];
  }

  function propertyFaults(taker: Json, given: Json, at: string): string[] {
    const taken = asJson(taker.properties);
    const sent = asJson(given.properties);
    const closed = direction === "input" && taker.additionalProperties === false;
    const gone = direction === "output" ? Object.keys(taken).filter((name) => !(name in sent)) : [];
    return [
      ...gone.map((name) => `${at}.${name}: is gone`),
      ...(closed && given.additionalProperties !== false && "properties" in given
        ? [`${at}: takes no other fields any more`]
        : []),
      ...Object.keys(sent).flatMap((name) => {
        if (name in taken) return compare(taken[name], sent[name], `${at}.${name}`);
        return closed ? [`${at}.${name}: is not taken any more`] : [];
      }),
      ...(isJson(taker.additionalProperties)
        ? compare(taker.additionalProperties, given.additionalProperties ?? {}, `${at}.*`)
        : []),
    ];
  }

  return compare(wide.schema, narrow.schema, "");
}

/**
 * Returns the function that tells whether an alternative is of a kind that an extensible schema did not have: clients skip what is of a
 * kind that they do not know.
 */
function newKinds({ document }: Located, wideSchema: Json): (given: Json) => boolean {
  const { discriminator, "x-extensible": isExtensible } = resolve(document, wideSchema);
  const { propertyName, mapping } = asJson(discriminator);
  if (isExtensible !== true || typeof propertyName !== "string") return () => false;
  return ({ properties }) => {
    const kinds = valuesOf(asJson(asJson(properties)[propertyName])) ?? [];
    return kinds.length > 0 && kinds.every((kind) => !(String(kind) in asJson(mapping)));
  };
}

const mayBe = (schema: Json, type: unknown): boolean => typesOf(schema)?.includes(type) ?? true;

/** Returns true where a value may have a type of both, so that a difference is worth reporting. */
const mayShare = (a: Json, b: Json): boolean => typesOf(a)?.some((type) => mayBe(b, type)) ?? true;

function valueFaults(taker: Json, given: Json, direction: Direction): string[] {
  const types = typesOf(taker);
  const badTypes = types ? (typesOf(given) ?? ["any"]).filter((type) => !types.includes(type)) : [];
  const values = direction === "output" && taker["x-extensible"] === true ? null : valuesOf(taker);
  const badValues = values
    ? (valuesOf(given) ?? ["any value"]).filter((value) => !values.includes(value))
    : [];
  const missing = asList(taker.required).filter((name) => !asList(given.required).includes(name));
  const changed = ["pattern", "format"].filter((key) => key in taker && taker[key] !== given[key]);
  const [was, is] = direction === "input" ? [given, taker] : [taker, given];
  return [
    ...badTypes.map((type) => `may be ${type}, which is not among the types ${types?.join(", ")}`),
    ...badValues.map((value) => `may be ${value}, which is not among the values`),
    ...missing.map(
      (name) => `${name} ${direction === "input" ? "is required now" : "is not always there any more"}`,
    ),
    ...changed.map((key) => `${key} was ${was[key]} and is ${is[key]}`),
    ...BOUNDS.filter(([key, sign]) => exceeds(taker[key], given[key], sign)).map(
      ([key]) => `${key} was ${was[key]} and is ${is[key]}`,
    ),
  ];
}

/** Keywords that bound a value, with the direction in which they get stricter. */
const BOUNDS = [
  ...["minimum", "minLength", "minItems"].map((key) => [key, 1] as const),
  ...["maximum", "maxLength", "maxItems"].map((key) => [key, -1] as const),
];

const exceeds = (taker: unknown, given: unknown, sign: 1 | -1): boolean =>
  typeof taker === "number" && (typeof given !== "number" || sign * given < sign * taker);
