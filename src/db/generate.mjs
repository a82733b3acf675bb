// Generates the Prisma client into src/db/generated. It runs at `npm install` (the package's own `prepare`).
// `prisma generate` needs no schema engine, yet the CLI insists on finding the binary: any existing file will do.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = createRequire(import.meta.url).resolve("prisma/build/index.js");
const { status } = spawnSync(process.execPath, [cli, "generate", "--config", "prisma/prisma.config.ts"], {
  cwd: root,
  stdio: "inherit",
  env: {
    PRISMA_SCHEMA_ENGINE_BINARY: fileURLToPath(import.meta.url),
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    CHECKPOINT_DISABLE: "1",
    ...process.env,
  },
});
process.exit(status ?? 1);
