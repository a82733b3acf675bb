import {
  ERRORS_PATH,
  FRONT_PATH,
  guidePath,
  REFERENCE_PATH,
  relativeAddress,
  STYLE_PATH,
} from "./addresses.ts";
import { GUIDE_GROUPS } from "./guides.ts";
import { escapeHtml, type Heading } from "./markdown.ts";

/** A page for partners. */
export interface Page {
  path: string;
  title: string;
  /** Markup of its content. */
  content: string;
  /** Headings that its table of contents names; the title is left out. */
  headings: readonly Heading[];
  /** Address of the same content as Markdown. */
  markdown?: string;
  /** Addresses of scripts. */
  scripts?: readonly string[];
}

/** A list of pages in the menu. */
export interface MenuGroup {
  title: string;
  entries: readonly { title: string; path: string }[];
}

/** Hidden: the script that searches shows it. */
const SEARCH = `<search hidden>
<input type="search" placeholder="Search  /" aria-label="Search" autocomplete="off" spellcheck="false">
<p role="status"></p>
<ul hidden></ul>
</search>
`;

/** Lays out a page: header, menu of all pages, table of contents, content. */
export function layout(page: Page, menu: readonly MenuGroup[]): string {
  const address = (to: string) => (to.startsWith("#") ? to : escapeHtml(relativeAddress(page.path, to)));
  const scripts = (page.scripts ?? []).map((path) => `<script defer src="${address(path)}"></script>\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Partner trading API</title>
<link rel="stylesheet" href="${address(STYLE_PATH)}">
${page.markdown ? `<link rel="alternate" type="text/markdown" href="${address(page.markdown)}">\n` : ""}${scripts.join("")}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="home" href="${address(FRONT_PATH)}">Partner trading API</a>
<nav aria-label="Sections"><a href="${address(FRONT_PATH)}">Guides</a> <a href="${address(REFERENCE_PATH)}">Reference</a> <a href="${address(ERRORS_PATH)}">Errors</a> <a class="to-menu" href="#menu">All pages</a></nav>
${scripts.length > 0 ? SEARCH : ""}</header>
<div class="columns">
${contents(page.headings)}<main id="content" tabindex="-1">
${page.content}${page.markdown ? `<p class="source"><a href="${address(page.markdown)}">This page as Markdown</a></p>\n` : ""}</main>
<nav class="menu" id="menu" aria-label="All pages">
${menu.map((group) => menuGroup(group, page.path, address)).join("")}</nav>
</div>
</body>
</html>
`;
}

function contents(headings: readonly Heading[]): string {
  const named = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (named.length < 2) return "";
  const lines = named.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>\n`,
  );
  return `<nav class="contents" aria-label="On this page">\n<p>On this page</p>\n<ul>\n${lines.join("")}</ul>\n</nav>\n`;
}

function menuGroup({ title, entries }: MenuGroup, current: string, address: (to: string) => string): string {
  const lines = entries.map(({ title, path }) => {
    const mark = path === current ? ' aria-current="page"' : "";
    return `<li><a href="${address(path)}"${mark}>${escapeHtml(title)}</a></li>\n`;
  });
  return `<p>${escapeHtml(title)}</p>\n<ul>\n${lines.join("")}</ul>\n`;
}

/** The menu of the guides. */
export const GUIDE_MENU: readonly MenuGroup[] = Object.entries(GUIDE_GROUPS).map(([title, guides]) => ({
  title,
  entries: guides.map(({ name, title }) => ({ title, path: guidePath(name) })),
}));
