import { headingsOf, withoutFences } from "../../docs/citations.ts";

/** A link of a page, and what is wrong with it. */
export interface BrokenLink {
  page: string;
  link: string;
  fault: string;
}

/** Findings of a crawl. */
export interface Crawl {
  /** Addresses that were read, without their anchors. */
  read: string[];
  broken: BrokenLink[];
  /** Links to other sites, which are not followed. */
  elsewhere: string[];
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

/**
 * Follows every link of a site from some pages on, in HTML, Markdown and text, also to anchors.
 * @param base address below which the site is, with a slash at its end
 */
export async function crawl(base: string, pages: readonly string[]): Promise<Crawl> {
  const answers = new Map<string, Answer>();
  const elsewhere = new Set<string>();
  const broken: BrokenLink[] = [];
  const get = async (url: string): Promise<Answer> => {
    const known = answers.get(url);
    if (known) return known;
    const response = await fetch(url);
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const answer = { status: response.status, type, text: await response.text() };
    answers.set(url, answer);
    return answer;
  };
  const waiting = pages.map((page) => new URL(page, base).href);
  const met = new Set(waiting);
  for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
    for (const link of linksIn(await get(page))) {
      const { href, hash } = new URL(link, page);
      const target = href.slice(0, href.length - hash.length);
      if (!target.startsWith(base)) {
        if (new URL(target).origin === new URL(base).origin) broken.push({ page, link, fault: "outside" });
        else elsewhere.add(target);
        continue;
      }
      const fault = faultOf(await get(target), hash);
      if (fault) broken.push({ page, link, fault });
      if (!met.has(target)) waiting.push(target);
      met.add(target);
    }
  }
  return { read: [...answers.keys()], broken, elsewhere: [...elsewhere] };
}

/** Returns the links of an answer: of a text with code, those outside it. */
function linksIn({ type, text }: Answer): string[] {
  if (type === "text/html")
    return [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = ""]) => decoded(link));
  if (type !== "text/markdown" && type !== "text/plain") return [];
  const prose = withoutFences(text)
    .join("\n")
    .replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = ""]) => link);
}

const decoded = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");

function faultOf({ status, type, text }: Answer, hash: string): string | null {
  if (status !== 200) return `HTTP ${status}`;
  if (hash === "") return null;
  const anchor = decodeURIComponent(hash.slice(1));
  const isThere = type === "text/html" ? text.includes(` id="${anchor}"`) : headingsOf(text).has(anchor);
  return isThere ? null : `no #${anchor}`;
}
