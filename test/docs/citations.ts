import path from "node:path";

/** The text files of a repository by path, and the scripts of its package.json. */
export interface Repository {
  files: ReadonlyMap<string, string>;
  /** Files that may be cited beside those of `files`, such as data. */
  otherPaths?: readonly string[];
  scripts: readonly string[];
}

interface Line {
  file: string;
  text: string;
  /** A document, where also links count; else a comment. */
  isMarkdown: boolean;
}

/**
 * Returns the citations in documents and comments whose file, heading or npm script does not exist, as
 * "file:line: what is missing". Examples with `<placeholders>`, variables or alternatives are not citations.
 */
export function findBrokenCitations(repository: Repository): string[] {
  const lookup = createLookup(repository);
  return [...repository.files].flatMap(([file, text]) =>
    citingLines(file, text).flatMap((line, index) =>
      line === null ? [] : check(lookup, line).map((missing) => `${file}:${index + 1}: ${missing}`),
    ),
  );
}

function check(lookup: Lookup, line: Line): string[] {
  const links = line.isMarkdown ? checkLinks(lookup, line) : [];
  const text = withoutLinks(line.text);
  return [
    ...links,
    ...checkScripts(lookup, text),
    ...checkPaths(lookup, line.file, text),
    ...checkHeadings(lookup, text),
  ];
}

/** The possible targets of citations. */
interface Lookup {
  has(target: string): boolean;
  /** Returns the path that a citation in a file means, which may be a glob; null where nothing has it. */
  find(citation: string, from: string): string | null;
  headings(file: string): ReadonlyMap<string, string> | null;
  hasScript(name: string): boolean;
}

function createLookup({ files, otherPaths = [], scripts }: Repository): Lookup {
  const paths = new Set([".", ...[...files.keys(), ...otherPaths].flatMap(withParents)]);
  return {
    has: (target) => paths.has(target),
    find: (citation, from) => {
      const near = path.posix.join(path.posix.dirname(from), citation);
      const exact = [citation, near].find((target) => paths.has(target));
      const likeness = likenessOf(citation);
      return exact ?? [...paths].find((known) => likeness.test(`/${known}`)) ?? null;
    },
    headings: (file) => {
      const text = files.get(file);
      return text === undefined ? null : headingsOf(text);
    },
    hasScript: (name) => scripts.includes(name),
  };
}

const withParents = (file: string): string[] =>
  file.split("/").map((_part, index, parts) => parts.slice(0, index + 1).join("/"));

/** A path that begins in a folder of the root is whole; any other may be the end of one. */
const ROOTS = /^(?:src|packages|test|indexer|schema|prisma|docs|examples|tools)\//;

function likenessOf(target: string): RegExp {
  const pattern = target
    .replace(/[.+?^$()|[\]\\]/g, "\\$&")
    .replaceAll("**", "\u0000")
    .replaceAll("*", "[^/]*")
    .replaceAll("\u0000", ".*");
  return new RegExp(`${ROOTS.test(target) ? "^/" : "/"}${pattern}$`);
}

/** Anchors of a document's headings, by GitHub's rules, with the headings' text. */
export function headingsOf(markdown: string): Map<string, string> {
  const anchors = new Map<string, string>();
  for (const line of withoutFences(markdown)) {
    const title = /^#{1,6} +(.*?)(?: +#+)?$/.exec(line)?.[1];
    if (title === undefined) continue;
    const text = title.replace(LINK, "$1").replaceAll("`", "");
    const anchor = anchorOf(text);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.set(unique, text);
  }
  return anchors;
}

const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");

/** Returns the lines of a document; those of fenced code are empty. */
export function withoutFences(markdown: string): string[] {
  let isFenced = false;
  return markdown.split("\n").map((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? "" : line;
  });
}

/** Returns the lines that may cite, by line; null for code. */
function citingLines(file: string, text: string): (Line | null)[] {
  if (file.endsWith(".md"))
    return withoutFences(text).map((line) => ({ file, text: line, isMarkdown: true }));
  return text.split("\n").map((line) => {
    const comment = commentOf(file, line);
    return comment === null ? null : { file, text: comment, isMarkdown: false };
  });
}

/** A test's title, which may cite as a comment does. */
const TITLE = /^\s*(?:it|test|describe)\b[^"`]*(["`].*)$/;

/** Returns the comment in a line of code, or the title of a test; null where there is neither. */
function commentOf(file: string, line: string): string | null {
  if (file.endsWith(".graphql")) return line;
  const whole = /^\s*(?:\/\/+|\/?\*+|--|#)\s?(.*)$/.exec(line);
  if (whole) return whole[1] ?? "";
  return /\s\/\/ (.*)$/.exec(line)?.[1] ?? TITLE.exec(line)?.[1] ?? null;
}

const LINK = /!?\[([^\]]*)\]\(([^()\s]+)(?: "[^"]*")?\)/g;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const URLS = /\b[a-z]+:\/\/\S+/gi;

/** Replaces links by their labels, where those are words, and removes URLs. */
const withoutLinks = (text: string): string =>
  text.replace(LINK, (_link, label: string) => (label.includes("`") ? label : "")).replace(URLS, "");

function checkLinks(lookup: Lookup, { file, text }: Line): string[] {
  return [...text.matchAll(LINK)].flatMap(([, , target = ""]) => {
    if (SCHEME.test(target)) return [];
    const [relative = "", anchor] = target.split("#");
    const cited = relative === "" ? file : path.posix.join(path.posix.dirname(file), relative);
    return lookup.has(cited.replace(/\/$/, "")) ? checkAnchor(lookup, cited, anchor) : [`no file ${cited}`];
  });
}

function checkAnchor(lookup: Lookup, file: string, anchor: string | undefined): string[] {
  if (anchor === undefined || lookup.headings(file)?.has(anchor)) return [];
  return [`no heading #${anchor} in ${file}`];
}

function checkScripts(lookup: Lookup, text: string): string[] {
  return [...text.matchAll(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g)].flatMap(([, name = ""]) =>
    lookup.hasScript(name) ? [] : [`no npm script ${name}`],
  );
}

/** A path in a comment or document: with an extension of source anywhere, or between back-ticks. */
const SOURCE_PATH =
  /(?<![\w/@.<>{}$*-])(?:[\w.@*-]+\/)*[\w.*-]+\.(?:ts|mts|mjs|sol|sql|graphql|prisma|md)\b(?:#[\w-]+)?/g;
const QUOTED_PATH = /`((?:src|test|indexer|schema|prisma|docs|examples|tools)\/[\w./@*-]*)`/g;
/** Made by a build or a package manager, or somebody else's. */
const FOREIGN = /^(?:dist|node_modules|\.[a-z]|@)/;

function checkPaths(lookup: Lookup, file: string, text: string): string[] {
  const cited = [
    ...[...text.matchAll(SOURCE_PATH)].map(([found]) => found),
    ...[...text.matchAll(QUOTED_PATH)].map(([, found = ""]) => found.replace(/\/$/, "")),
  ];
  return [...new Set(cited)].flatMap((citation) => {
    const [target = "", anchor] = citation.split("#");
    if (FOREIGN.test(target) || /^\*?\.\w+$/.test(target)) return [];
    const found = lookup.find(target, file);
    return found === null ? [`no file ${target}`] : checkAnchor(lookup, found, anchor);
  });
}

/** Checks headings that are quoted after a document's name: `ARCHITECTURE.md, "Decisions"`. */
function checkHeadings(lookup: Lookup, text: string): string[] {
  return [...text.matchAll(/([\w./-]+\.md)`?,? "([^"]+)"/g)].flatMap(([, file = "", title = ""]) => {
    const headings = lookup.headings(file);
    return headings === null || [...headings.values()].includes(title)
      ? []
      : [`no heading "${title}" in ${file}`];
  });
}

/**
 * Returns the lines of a Markdown document at which a code block goes wrong, as `file:line`: words behind its language, a fence that is
 * not closed, or text or another indentation where one should close.
 */
export function findBrokenFences(file: string, text: string): string[] {
  let open: { fence: string; line: number } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, fence = "", rest = ""] = /^( *```)(.*)$/.exec(line) ?? [];
    if (fence === "") continue;
    const isWrong = open === null ? !/^\w*$/.test(rest) : line !== open.fence;
    // Stops at the first fault: behind it, opening and closing fences are mistaken for each other.
    if (isWrong) return [`${file}:${index + 1}`];
    open = open === null ? { fence, line: index + 1 } : null;
  }
  return open === null ? [] : [`${file}:${open.line}`];
}
