import { fileURLToPath } from "node:url";
import { bundlePackages } from "./support/program/bundled-packages.mjs";

// Five projects, by what they need. Shared parts start once per run, in the project's globalSetup.
//   unit          nothing but the process
//   integration   a real PostgreSQL (one per run, a database per file), real chains and browsers (one per file)
//   e2e           the whole sandbox, started once as the README's line starts it
//   faults        programs and chains of their own, which they kill, cut and roll back; a database on the run's PostgreSQL,
//                 and a server of its own for what kills it
//   secrets       the logs that all of these left
// A file named *.long.test.ts, or *.long.integration.test.ts, runs in `npm run test:long` alone.
const longFiles = process.env.TEST_LONG === "1" ? [] : ["\\.long\\.(integration\\.)?test\\.ts$"];

export const common = {
  rootDir: fileURLToPath(new URL("..", import.meta.url)),
  testEnvironment: "node",
  setupFilesAfterEnv: [
    "<rootDir>/test/support/program/time-limit.mjs",
    "<rootDir>/test/support/program/async-storage.mjs",
  ],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: {
          parser: { syntax: "typescript" },
          target: "es2022",
          experimental: { keepImportAttributes: true },
        },
        module: { type: "es6" },
      },
    ],
  },
  moduleNameMapper: await bundlePackages(),
  testPathIgnorePatterns: longFiles,
  modulePathIgnorePatterns: [
    "<rootDir>/.sandbox",
    "<rootDir>/.ponder",
    "<rootDir>/.stryker-tmp",
    "<rootDir>/dist",
  ],
};

/** Mutants keep packages alone (test/mutation/kept-packages.cjs): one may be of what a source does when it is evaluated. */
const keepingModules = {
  ...common,
  testEnvironment: "<rootDir>/test/support/program/kept-context.cjs",
  runtime: "<rootDir>/test/support/program/kept-modules.cjs",
};

/** Once per run, even where both projects run. */
const withSharedParts = {
  globalSetup: "<rootDir>/test/support/program/shared-setup.mjs",
  globalTeardown: "<rootDir>/test/support/program/shared-teardown.mjs",
};

// A package of packages/ has its tests beside its sources.
const testsNamed = (pattern) => [`<rootDir>/test/**/${pattern}`, `<rootDir>/packages/*/test/**/${pattern}`];

export default {
  projects: [
    {
      ...keepingModules,
      displayName: "unit",
      testMatch: testsNamed("*.test.ts"),
      testPathIgnorePatterns: [
        ...longFiles,
        "/test/e2e/",
        "/test/faults/",
        "/test/secrets/",
        "\\.integration\\.test\\.ts$",
      ],
    },
    {
      ...keepingModules,
      displayName: "integration",
      testMatch: testsNamed("*.integration.test.ts"),
      ...withSharedParts,
    },
    {
      ...keepingModules,
      displayName: "e2e",
      testMatch: ["<rootDir>/test/e2e/**/*.test.ts"],
      globalSetup: "<rootDir>/test/support/sandbox/e2e-setup.mjs",
      globalTeardown: "<rootDir>/test/support/sandbox/e2e-teardown.mjs",
    },
    {
      ...common,
      displayName: "faults",
      testMatch: ["<rootDir>/test/faults/**/*.test.ts"],
      ...withSharedParts,
    },
    { ...common, displayName: "secrets", testMatch: ["<rootDir>/test/secrets/**/*.test.ts"] },
  ],
};
