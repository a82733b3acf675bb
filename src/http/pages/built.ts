import { existsSync, readFileSync } from "node:fs";
import { Router } from "express";
import type { Logger } from "pino";
import { ROOT } from "../../config/root.ts";
import { OWN_SCRIPTS, securePage } from "../page-security.ts";
import { type StaticFile, serveFiles } from "../static-files.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";

/** Files that the build of packages/pages writes to a directory of `dist/pages/` (packages/pages/bundle.mjs), by address. */
interface BuiltFiles {
  directory: "docs" | "dashboard";
  files: Readonly<Record<string, string>>;
}

export const SEARCH_SCRIPT = "/docs/search.js";
export const REFERENCE_SCRIPT = "/docs/reference.js";

/** Scripts of the pages for partners: the search box, and test requests. */
const DOCS: BuiltFiles = {
  directory: "docs",
  files: { [SEARCH_SCRIPT]: "search.js", [REFERENCE_SCRIPT]: "reference.js" },
};

const DASHBOARD: BuiltFiles = {
  directory: "dashboard",
  files: {
    "/dashboard": "page.html",
    "/dashboard/page.css": "page.css",
    "/dashboard/page.js": "page.js",
  },
};

const { version }: { version: string } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
/** A served package. */
interface ClientFile {
  type: string;
  cacheControl: string;
  /** True where it is left out of a build that has not made it. */
  isOptional?: boolean;
}

const TARBALL = { type: "application/gzip", cacheControl: IMMUTABLE };
/** Packages for partners, which builds of packages/client, sandbox and mcp make. Their names have the version: they never change. */
const CLIENTS: Readonly<Record<string, ClientFile>> = {
  [`partner-trading-${version}.tgz`]: TARBALL,
  [`partner_trading-${version}-py3-none-any.whl`]: { type: "application/zip", cacheControl: IMMUTABLE },
  [`partner-trading-sandbox-${version}.tgz`]: { ...TARBALL, isOptional: true },
  [`partner-trading-mcp-${version}.tgz`]: { ...TARBALL, isOptional: true },
  SHA256SUMS: { type: "text/plain; charset=utf-8", cacheControl: "no-cache" },
};
const clientPath = (name: string): string => `/docs/clients/${name}`;

/** Every path of the files, for the access log and the metrics. */
export const DOCS_SCRIPT_PATHS = Object.keys(DOCS.files);
export const CLIENT_PATHS = Object.keys(CLIENTS).map(clientPath);
export const DASHBOARD_PATHS = Object.keys(DASHBOARD.files);

/** A policy for pages with scripts. */
export const secureScripted = securePage({
  ...OWN_SCRIPTS,
  // No text can become markup or code, not even by a mistake in the page's own scripts or their packages.
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
});

/** Returns the scripts of the pages for partners; none where the package that has them is not installed. */
export const readDocsScripts = (log: Logger): StaticFile[] => read(DOCS, log);

/** Returns the packages of the clients; none where the build had no client. */
export function readClients(log: Logger): StaticFile[] {
  const built = `${ROOT}dist/clients/`;
  if (!existsSync(built)) {
    log.warn({ page: "/docs/clients" }, "packages of the clients are not served: the build made none");
    return [];
  }
  const present = Object.entries(CLIENTS).filter(
    ([name, { isOptional }]) => !isOptional || existsSync(`${built}${name}`),
  );
  return present.map(([name, { type, cacheControl }]) => {
    const content = { plain: readFileSync(`${built}${name}`) };
    return { path: clientPath(name), type, cacheControl, content: () => content };
  });
}

/**
 * GET /dashboard: the web page for operations staff, to anybody. It holds no data and no secret: its reader types a dashboard
 * token, with which the page queries /graphql and /events/stream.
 * @throws Error where a file of the page is missing
 */
export function createDashboardPage(log: Logger): Router {
  const files = read(DASHBOARD, log);
  return files.length > 0 ? serveFiles(files, secureScripted) : Router();
}

/** Files are read once; browsers revalidate them each time, so that a new version shows at once. */
function read({ directory, files }: BuiltFiles, log: Logger): StaticFile[] {
  const built = `${ROOT}dist/pages/${directory}/`;
  if (!existsSync(built)) {
    log.warn(
      { page: `/${directory}` },
      "scripts of the page are not served: the package partner-trading-pages is not installed",
    );
    return [];
  }
  return Object.entries(files).map(([path, file]) => {
    const read = (ending: string) => readFileSync(`${built}${file}${ending}`);
    const content = { plain: read(""), encoded: { br: read(".br"), gzip: read(".gz") } };
    const type = `${TYPES[file.slice(file.lastIndexOf("."))]}; charset=utf-8`;
    return { path, type, cacheControl: "no-cache", content: () => content };
  });
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
};
