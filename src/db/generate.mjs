// Generates the Prisma client into src/db/generated. It runs at `npm install` (the package's own `prepare`), and does
// nothing where Prisma's command or schema is absent: in an image layer that holds the dependencies alone, for one.
// `prisma generate` needs no schema engine, yet the CLI insists on finding the binary: any existing file will do.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

process.exit(generate());

/** Returns the exit code. */
function generate() {
  const cli = findCommand();
  if (cli === null || !existsSync(`${root}prisma/prisma.config.ts`)) {
    process.stdout.write("Prisma or its schema is not here: no client is generated\n");
    return 0;
  }
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
  return status ?? 1;
}

function findCommand() {
  try {
    return createRequire(import.meta.url).resolve("prisma/build/index.js");
  } catch {
    return null;
  }
}
