import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";

const read = (path: string) => readFileSync(`${ROOT}${path}`, "utf8");

/** Folders of the workspaces that package-lock.json installs. */
const WORKSPACES = Object.keys(JSON.parse(read("package-lock.json")).packages).filter((folder) =>
  /^packages\/[^/]+$/.test(folder),
);

it.each(["deploy/Dockerfile", "deploy/sandbox.Dockerfile"])(
  "%s copies the package.json of each workspace, which npm ci reads",
  (file) => {
    const lines = read(file).split("\n");
    const copied = WORKSPACES.filter((folder) => lines.includes(`COPY ${folder}/package.json ${folder}/`));
    expect({ file, copied }).toEqual({ file, copied: WORKSPACES });
  },
);
