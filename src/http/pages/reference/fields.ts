import { escapeHtml, renderInline } from "../markdown.ts";
import { type ApiDocument, follow, nameOf, type Schema } from "./document.ts";

/** Returns the anchor of an object of the document. */
export const objectId = (name: string): string => `object-${name}`;

/** Returns true where a schema has fields of its own, so that it is shown as an object. */
export const hasFields = ({ properties, allOf }: Schema): boolean =>
  properties !== undefined || allOf !== undefined;

/** A line of a list of fields or parameters. */
export interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
  description?: string;
}

/** Returns the fields of an object, also of one that is made of several. */
export function fieldsOf(document: ApiDocument, schema: Schema): Field[] {
  const { properties = {}, required = [], allOf = [] } = follow(document, schema);
  const own = Object.entries(properties).map(([name, each]) => ({
    name,
    schema: each,
    isRequired: required.includes(name),
    description: each.description ?? follow(document, each).description,
  }));
  return [...allOf.flatMap((part) => fieldsOf(document, part)), ...own];
}

/** Renders fields as a list of definitions. @param marks says which word marks a field; null where none does */
export function fieldList(
  document: ApiDocument,
  fields: readonly Field[],
  marks: (field: Field) => string | null,
): string {
  const lines = fields.map((field) => {
    const mark = marks(field);
    const words = renderInline(field.description ?? "");
    return `<dt><code>${escapeHtml(field.name)}</code> <span class="type">${typeOf(document, field.schema)}</span>${
      mark ? ` <span class="mark">${mark}</span>` : ""
    }</dt>\n<dd>${words}</dd>\n`;
  });
  return `<dl class="fields">\n${lines.join("")}</dl>\n`;
}

/** Returns the type of a value as markup: an object is a link to its fields. */
export function typeOf(document: ApiDocument, schema: Schema): string {
  const name = nameOf(schema);
  const found = follow(document, schema);
  if (name !== null && hasFields(found)) return `<a href="#${objectId(name)}">${escapeHtml(name)}</a>`;
  if (found.enum) return found.enum.map(literal).join(" | ");
  if (found.const !== undefined) return literal(found.const);
  // Of a type beside alternatives, the type says what is taken, and the alternatives how.
  if (found.type === undefined) {
    const parts = found.anyOf ?? found.oneOf;
    if (parts) return [...new Set(parts.map((part) => typeOf(document, part)))].join(" | ");
  }
  return name === null ? plainType(document, found) : `${escapeHtml(name)} (${plainType(document, found)})`;
}

function plainType(document: ApiDocument, { type, items, additionalProperties }: Schema): string {
  if (type === undefined) return "any JSON";
  if (type === "array") return `array of ${items ? typeOf(document, items) : "any JSON"}`;
  if (type === "object" && typeof additionalProperties === "object")
    return `object of ${typeOf(document, additionalProperties)}`;
  return typeof type === "string" ? type : type.join(" | ");
}

const literal = (value: unknown): string => `<code>${escapeHtml(JSON.stringify(value))}</code>`;
