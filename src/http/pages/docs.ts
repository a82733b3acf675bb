import { readFileSync } from "node:fs";
import { Router } from "express";
import type { Logger } from "pino";
import { ROOT } from "../../config/root.ts";
import type { JsonSchema } from "../graphql/scalars.ts";
import { once } from "../once.ts";
import { securePage } from "../page-security.ts";
import { compressed, type StaticFile, serveFiles } from "../static-files.ts";
import {
  ERROR_NAMES,
  ERRORS_PATH,
  errorPath,
  FRONT_PATH,
  guidePath,
  REFERENCE_PATH,
  relativeAddress,
  STYLE_PATH,
  servedAddress,
} from "./addresses.ts";
import {
  CLIENT_PATHS,
  DOCS_SCRIPT_PATHS,
  REFERENCE_SCRIPT,
  readClients,
  readDocsScripts,
  SEARCH_SCRIPT,
  secureScripted,
} from "./built.ts";
import { DOWNLOADS, GUIDE_GROUPS, GUIDES } from "./guides.ts";
import { GUIDE_MENU, layout } from "./layout.ts";
import { LLMS_FULL_PATH, LLMS_PATH, llmsFull, llmsIndex } from "./llms.ts";
import { type Rendered, relinkMarkdown, renderMarkdown } from "./markdown.ts";
import { type ApiDocument, readDocument } from "./reference/document.ts";
import { referenceMenu, referencePage } from "./reference/page.ts";
import { operationEntries, pageEntries, SEARCH_PATH } from "./search.ts";

/** Stands for a deployment's address in the documents. */
const EXAMPLE_URL = "https://api.example.com";

/** A document and where it is served. */
interface Source {
  path: string;
  file: string;
}

const GUIDE_SOURCES: readonly Source[] = GUIDES.map(({ name, file }) => ({ path: guidePath(name), file }));
const ERROR_SOURCES: readonly Source[] = [
  { path: ERRORS_PATH, file: "docs/errors/README.md" },
  ...ERROR_NAMES.map((name) => ({ path: errorPath(name), file: `docs/errors/${name}.md` })),
];
const DOCUMENT_SOURCES = [...GUIDE_SOURCES, ...ERROR_SOURCES];
/** Markdown of the reference is the list of endpoints: the OpenAPI document has the rest. */
const SOURCES = [...DOCUMENT_SOURCES, { path: REFERENCE_PATH, file: "docs/endpoints.md" }];

/** Returns the address of a page's Markdown. */
const markdownPath = (path: string): string => `${path}.md`;

/** Every path of the pages, for the access log and the metrics. */
export const DOCS_PATHS = [
  FRONT_PATH,
  STYLE_PATH,
  SEARCH_PATH,
  ...DOCS_SCRIPT_PATHS,
  ...CLIENT_PATHS,
  LLMS_PATH,
  LLMS_FULL_PATH,
  ...SOURCES.flatMap(({ path }) => [path, markdownPath(path)]),
  ...Object.values(DOWNLOADS).map(({ path }) => path),
];

/** A document as it is read, with the deployment's own address. */
interface Document extends Source {
  text: string;
}

export interface DocsParts {
  /** OpenAPI document, which the reference shows. */
  document: JsonSchema;
  /** Address of /docs for callers, for examples and for /llms.txt; without it the documents' own address stands. */
  docsUrl?: string | undefined;
  log: Logger;
}

/**
 * GET /docs and below: guides, reference and pages of errors, rendered and as Markdown, the files that they hand out, /llms.txt
 * and /llms-full.txt, to anybody. Documents are read at start, and each is rendered when it is first asked for.
 */
export function createDocs({ document, docsUrl, log }: DocsParts): Router {
  const baseUrl = docsUrl?.endsWith(FRONT_PATH) ? docsUrl.slice(0, -FRONT_PATH.length) : undefined;
  const documents = SOURCES.map((source) => withAddress(source, docsUrl, baseUrl));
  const api = readDocument(document);
  const scripts = readDocsScripts(log);
  const isServed = (path: string) => scripts.some((script) => script.path === path);
  const guides = pagesOf(documents, GUIDE_SOURCES);
  const errors = pagesOf(documents, ERROR_SOURCES);
  const front = {
    path: FRONT_PATH,
    rendered: () => render({ path: FRONT_PATH, file: "docs/README.md", text: frontPage() }),
  };
  const search = () => [
    ...[...guides, ...errors].flatMap(({ path, rendered }) => pageEntries(path, rendered())),
    ...operationEntries(api),
  ];
  const full = () => llmsFull(documents.map((each) => relinked(each, LLMS_FULL_PATH)));
  const withSearch = [SEARCH_SCRIPT].filter(isServed);
  const plain = [
    ...errors.map((page) => pageFile(page)),
    ...documents.map(markdownFile),
    ...readClients(log),
    copy(STYLE_PATH, "text/css", "src/http/pages/docs.css"),
    ...Object.entries(DOWNLOADS).map(([source, { path, type }]) => copy(path, type, source)),
    file(LLMS_PATH, "text/plain", () => llmsIndex(baseUrl)),
    file(LLMS_FULL_PATH, "text/plain", full),
    file(SEARCH_PATH, "application/json", () => JSON.stringify(search())),
  ];
  const scripted = [
    pageFile(front, withSearch),
    ...guides.map((page) => pageFile(page, withSearch)),
    referenceFile(api, [SEARCH_SCRIPT, REFERENCE_SCRIPT].filter(isServed)),
    ...scripts,
  ];
  return Router().use(serveFiles(plain, securePage())).use(serveFiles(scripted, secureScripted));
}

/** A document as a page. */
interface RenderedPage {
  path: string;
  rendered: () => Rendered;
}

function pagesOf(documents: readonly Document[], sources: readonly Source[]): RenderedPage[] {
  const paths = sources.map(({ path }) => path);
  return documents
    .filter(({ path }) => paths.includes(path))
    .map((document) => ({ path: document.path, rendered: once(() => render(document)) }));
}

function pageFile({ path, rendered }: RenderedPage, scripts: readonly string[] = []): StaticFile {
  const markdown = path === FRONT_PATH ? undefined : markdownPath(path);
  return file(path, "text/html", () => {
    const { title, html, sections } = rendered();
    const headings = sections.map(({ heading }) => heading);
    return layout({ path, title, content: html, headings, markdown, scripts }, GUIDE_MENU);
  });
}

function withAddress(source: Source, docsUrl?: string, baseUrl?: string): Document {
  const text = readFileSync(`${ROOT}${source.file}`, "utf8");
  const own = docsUrl ? text.replaceAll(`${EXAMPLE_URL}${FRONT_PATH}`, () => docsUrl) : text;
  return { ...source, text: baseUrl ? own.replaceAll(EXAMPLE_URL, () => baseUrl) : own };
}

function referenceFile(api: ApiDocument, scripts: readonly string[]): StaticFile {
  const page = { path: REFERENCE_PATH, headings: [], markdown: markdownPath(REFERENCE_PATH), scripts };
  return file(REFERENCE_PATH, "text/html", () =>
    layout({ ...referencePage(api), ...page }, referenceMenu(api)),
  );
}

/** Returns the front page as Markdown. */
function frontPage(): string {
  const groups = Object.entries(GUIDE_GROUPS).map(([title, guides]) => {
    const lines = guides.map(
      ({ title, file, about }) => `- [${title}](${relativeAddress("docs/README.md", file)}): ${about}`,
    );
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `# Partner trading API

Trade tokenized stocks for your users, and move cash and stock between their wallets and the exchange: by REST, signed with your API key.

${groups.join("\n")}
## Look up

- [Reference](endpoints.md): every endpoint, with samples, and test requests that your browser signs
- [Errors](errors/README.md): each errCode, its cause and what to do
- [OpenAPI document](openapi.json): the reference for programs
`;
}

const render = ({ path, file, text }: Document): Rendered =>
  renderMarkdown(text, (link) => resolve(path, file, link, (served) => served));

/** Returns a document as Markdown with links to the Markdown of others. @param at address of what it is part of */
const relinked = ({ file, text }: Document, at: string): string =>
  relinkMarkdown(text, (link) => resolve(at, file, link, asMarkdown));

/** Returns the address of a page's Markdown where it has one. */
const asMarkdown = (served: string): string =>
  SOURCES.some(({ path }) => path === served) ? markdownPath(served) : served;

/** Returns a link of a document, relative to an address. @param form returns the form of a page that it leads to */
function resolve(at: string, file: string, link: string, form: (served: string) => string): string | null {
  const served = servedAddress(file, link);
  if (served === null || served.startsWith("https:")) return served;
  const [target = "", anchor] = served.split("#");
  const address = form(target) === at && anchor !== undefined ? "" : relativeAddress(at, form(target));
  return anchor === undefined ? address : `${address}#${anchor}`;
}

function markdownFile(document: Document): StaticFile {
  const path = markdownPath(document.path);
  return file(path, "text/markdown", () => relinked(document, path));
}

/** Returns a file of the repository as it is. */
function copy(path: string, type: string, source: string): StaticFile {
  const text = readFileSync(`${ROOT}${source}`, "utf8");
  return file(path, type, () => text);
}

function file(path: string, type: string, text: () => string): StaticFile {
  return {
    path,
    type: `${type}; charset=utf-8`,
    cacheControl: "public, max-age=300",
    content: () => compressed(Buffer.from(text())),
  };
}
