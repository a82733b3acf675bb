// The covering tests of mutants, of any project. PostgreSQL and the migrated database are the runner's.
import { fileURLToPath } from "node:url";
import base from "../../jest.config.mjs";

const own = (name) => fileURLToPath(new URL(name, import.meta.url));
const { displayName, testMatch, globalSetup, globalTeardown, ...common } = base.projects.find(
  (project) => project.displayName === "integration",
);

export default {
  ...common,
  testEnvironment: own("environment.mjs"),
  setupFilesAfterEnv: [own("setup.mjs")],
  testMatch: ["<rootDir>/test/**/*.test.ts", "<rootDir>/packages/*/test/**/*.test.ts"],
};
