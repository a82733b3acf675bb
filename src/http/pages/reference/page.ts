import { REFERENCE_PATH, relativeAddress } from "../addresses.ts";
import type { MenuGroup, Page } from "../layout.ts";
import { escapeHtml, renderInline, renderMarkdown } from "../markdown.ts";
import type { ApiDocument, Endpoint } from "./document.ts";
import { fieldList, fieldsOf, hasFields, objectId } from "./fields.ts";
import { operationSection } from "./operation.ts";

/** Returns the operations of a document by tag, in the document's order. */
export function endpointsByTag({ tags, paths }: ApiDocument): Map<string, Endpoint[]> {
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return new Map(
    tags.map(({ name }) => [name, endpoints.filter(({ operation }) => operation.tags.includes(name))]),
  );
}

/** Renders the reference: every operation of the OpenAPI document, then the objects in their answers. */
export function referencePage(document: ApiDocument): Pick<Page, "title" | "content"> {
  const byTag = endpointsByTag(document);
  const tags = document.tags.map(({ name, description }) => {
    const operations = (byTag.get(name) ?? []).map((each) =>
      operationSection(document, each, REFERENCE_PATH),
    );
    return `<h2 id="${tagId(name)}">${escapeHtml(name)}</h2>\n<p>${renderInline(description)}</p>\n${operations.join("")}`;
  });
  const { info } = document;
  const title = "Reference";
  const content = `<h1>${title}</h1>
<p>${escapeHtml(info.title)}, version ${escapeHtml(info.version)}. The <a href="${relativeAddress(REFERENCE_PATH, "/openapi.json")}">OpenAPI document</a> has the same for programs.</p>
${renderMarkdown(info.description, () => null).html}
${CREDENTIALS}
${tags.join("")}<h2 id="objects">Objects</h2>
${objects(document)}`;
  return { title, content };
}

const tagId = (name: string): string => `tag-${name.toLowerCase().replaceAll(" ", "-")}`;

/** Objects that operations link to: each once. */
function objects(document: ApiDocument): string {
  return Object.entries(document.components.schemas)
    .filter(([, schema]) => hasFields(schema))
    .map(
      ([name, schema]) =>
        `<h3 id="${objectId(name)}">${escapeHtml(name)}</h3>\n<p>${renderInline(schema.description ?? "")}</p>\n${fieldList(
          document,
          fieldsOf(document, schema),
          () => null,
        )}`,
    )
    .join("");
}

/** Credentials of test requests. Hidden: the script that uses them shows the form. */
const CREDENTIALS = `<details id="credentials" hidden><summary>Credentials for test requests</summary>
<form method="post" autocomplete="off" aria-label="Credentials for test requests">
<label for="apiKey">API key</label> <input id="apiKey" name="apiKey" autocomplete="off" spellcheck="false" required>
<label for="apiSecret">API secret</label> <input id="apiSecret" name="apiSecret" type="password" autocomplete="off" spellcheck="false" required>
<label for="chainId">Chain</label> <input id="chainId" name="chainId" inputmode="numeric" pattern="[0-9]+" autocomplete="off" required>
<label for="productType">Product</label> <input id="productType" name="productType" autocomplete="off" spellcheck="false" required>
</form>
<p>Your browser signs test requests. The secret stays in this page.</p>
</details>`;

/** Returns the menu of the reference: the operations of each tag. */
export const referenceMenu = (document: ApiDocument): MenuGroup[] => [
  ...[...endpointsByTag(document)].map(([title, endpoints]) => ({
    title,
    entries: endpoints.map(({ method, path, operation }) => ({
      title: `${method} ${path.replace("/api/v1", "")}`,
      path: `#${operation.operationId}`,
    })),
  })),
  { title: "Objects", entries: [{ title: "Objects in answers", path: "#objects" }] },
];
