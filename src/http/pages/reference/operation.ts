import { errorPath, relativeAddress } from "../addresses.ts";
import { escapeHtml, renderInline } from "../markdown.ts";
import {
  type ApiDocument,
  type Endpoint,
  follow,
  type Media,
  type Operation,
  type Parameter,
  type Schema,
} from "./document.ts";
import { type Field, fieldList, fieldsOf, typeOf } from "./fields.ts";
import { testForm } from "./test-form.ts";

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";

/** Renders an operation. @param page address of the page, for links to errors */
export function operationSection(document: ApiDocument, endpoint: Endpoint, page: string): string {
  const { method, path, operation } = endpoint;
  const parameters = (operation.parameters ?? []).map((each) => follow(document, each));
  const body = operation.requestBody?.content[JSON_TYPE];
  const answer = follow(document, operation.responses["200"] ?? {}).content ?? {};
  const parts = [
    `<h3 id="${operation.operationId}">${renderInline(operation.summary)}</h3>`,
    `<p class="call"><code>${method} ${escapeHtml(path)}</code></p>`,
    paragraphs(operation),
    parameterList(document, "In the path", parameters, "path"),
    parameterList(document, "In the query", parameters, "query"),
    parameterList(document, "Headers", parameters, "header"),
    body ? bodyOf(document, body) : "",
    answerOf(document, answer),
    refusals(document, operation, page),
    samples(operation),
    answer[STREAM_TYPE] ? "" : testForm(endpoint, parameters, body ? firstExample(body) : null),
  ];
  return `<section class="operation" aria-labelledby="${operation.operationId}">\n${parts.filter(Boolean).join("\n")}\n</section>\n`;
}

const paragraphs = ({ description = "" }: Operation): string =>
  description
    .split("\n\n")
    .filter((text) => text !== "")
    .map((text) => `<p>${renderInline(text)}</p>`)
    .join("\n");

function parameterList(
  document: ApiDocument,
  title: string,
  parameters: readonly Parameter[],
  place: Parameter["in"],
): string {
  const fields: Field[] = parameters
    .filter((each) => each.in === place)
    .map(({ name, schema, required = false, description }) => ({
      name,
      schema,
      isRequired: required,
      description,
    }));
  if (fields.length === 0) return "";
  return `<h4>${title}</h4>\n${fieldList(document, fields, requiredMark)}`;
}

const requiredMark = ({ isRequired }: Field) => (isRequired ? "required" : null);

function bodyOf(document: ApiDocument, media: Media): string {
  const list = fieldList(document, fieldsOf(document, media.schema), requiredMark);
  const examples = examplesOf(media).map(({ summary, value }) => {
    return `${summary ? `<p>${renderInline(summary)}</p>\n` : ""}${json(value)}`;
  });
  return `<h4>Body</h4>\n${list}${examples.length > 0 ? details("Examples of the body", examples.join("\n")) : ""}`;
}

const examplesOf = ({ example, examples = {} }: Media): { summary?: string; value?: unknown }[] => [
  ...(example === undefined ? [] : [{ value: example }]),
  ...Object.values(examples),
];

const firstExample = (media: Media): unknown => examplesOf(media)[0]?.value ?? {};

function answerOf(document: ApiDocument, content: Readonly<Record<string, Media>>): string {
  const stream = content[STREAM_TYPE];
  if (stream) return `<h4>Answer</h4>\n<pre><code>${escapeHtml(String(stream.example ?? ""))}</code></pre>`;
  const media = content[JSON_TYPE];
  if (!media) return "";
  const data = fieldsOf(document, media.schema).findLast(({ name }) => name === "data")?.schema ?? {};
  const example = media.example === undefined ? "" : json(media.example);
  return `<h4>Answer</h4>\n<p><code>data</code> is ${typeOf(document, data)}.</p>\n${details(
    "Fields and an example",
    topFields(document, data) + example,
  )}`;
}

/** The first level of fields of what is answered: of a list, those of an entry. */
function topFields(document: ApiDocument, data: Schema): string {
  const found = follow(document, data);
  const shown = found.type === "array" && found.items ? found.items : data;
  const fields = fieldsOf(document, shown);
  return fields.length > 0 ? fieldList(document, fields, () => null) : "";
}

/** Links the errCodes that the operation itself answers. */
function refusals(document: ApiDocument, { responses }: Operation, page: string): string {
  const media = follow(document, responses["400"] ?? {}).content?.[JSON_TYPE];
  const codes = Object.keys(media?.examples ?? {}).filter((code) => code !== "Unauthorized");
  if (codes.length === 0) return "";
  const links = codes.map((code) => `<a href="${relativeAddress(page, errorPath(code))}">${code}</a>`);
  return `<h4>Refusals</h4>\n<p>${links.join(", ")}</p>`;
}

const samples = ({ "x-codeSamples": list = [] }: Operation): string =>
  list
    .map(({ label, source }) => details(`In ${label}`, `<pre><code>${escapeHtml(source)}</code></pre>`))
    .join("\n");

const details = (title: string, content: string): string =>
  `<details><summary>${title}</summary>\n${content}\n</details>`;

const json = (value: unknown): string =>
  `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;
