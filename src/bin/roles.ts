import { parseEnv } from "../config/env.ts";
import { createRoles } from "../db/roles.ts";
import { runToEnd } from "../http/lifecycle.ts";

/** `npm run db:roles` */
await runToEnd(async () => {
  await createRoles(parseEnv("migrate", process.env).DATABASE_URL);
  return 0;
});
