// Makes the package of the server, as npm takes it. `npm run build` puts it into dist/clients, beside those of the clients.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackage } from "../client/pack.mjs";
import { buildDist } from "./build.mjs";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Files that it is made of, besides those of the client; relative to the repository. */
export const serverSources = () =>
  readdirSync(join(FOLDER, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(FOLDER.length))
    .concat("package.json", "README.md", "LICENSE", "bin.mjs", "index.mjs", "build.mjs", "pack.mjs")
    .map((name) => `packages/mcp/${name}`)
    .concat("docs/openapi.json");

/** Returns the package by its file name. @param service the build of the service */
export const packServer = (service) =>
  packPackage(FOLDER, ["README.md", "LICENSE", "bin.mjs", "index.mjs"], (dist) => buildDist(service, dist));
