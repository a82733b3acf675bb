import { ERRORS_PATH, guidePath, REFERENCE_PATH } from "./addresses.ts";
import { DOWNLOADS, GUIDE_GROUPS } from "./guides.ts";

/** The form is that of llmstxt.org. */
export const LLMS_PATH = "/llms.txt";
export const LLMS_FULL_PATH = "/llms-full.txt";

/**
 * Returns /llms.txt: what the service is, and the Markdown of each guide.
 * @param baseUrl the deployment's address; without it links are relative
 */
export function llmsIndex(baseUrl?: string): string {
  const link = (title: string, path: string, about: string) =>
    `- [${title}](${baseUrl ? baseUrl + path : path.slice(1)}): ${about}`;
  const groups = Object.entries(GUIDE_GROUPS).map(([title, guides]) =>
    section(
      title,
      guides.map(({ name, title, about }) => link(title, `${guidePath(name)}.md`, about)),
    ),
  );
  const look = [
    link("Endpoints", `${REFERENCE_PATH}.md`, "a line for each, with cost and refusals"),
    link("OpenAPI document", "/openapi.json", "every endpoint, field and header"),
    link("Errors", `${ERRORS_PATH}.md`, "each errCode, its cause and what to do"),
  ];
  const files = Object.values(DOWNLOADS).map(({ path }) => link(nameOf(path), path, "a file to copy"));
  return `# Partner trading API

> REST API for trading tokenized stocks on EVM chains. Every request is signed with HMAC-SHA256.

All guides and errors in one file: ${link("llms-full.txt", LLMS_FULL_PATH, "").slice(2, -2)}

${[...groups, section("Look up", look), section("Optional", files)].join("\n")}`;
}

const section = (title: string, lines: readonly string[]): string => `## ${title}\n\n${lines.join("\n")}\n`;

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Returns /llms-full.txt: all documents, one after another. */
export const llmsFull = (documents: readonly string[]): string =>
  documents.map((text) => `${text.trim()}\n`).join("\n---\n\n");
