import { pino } from "pino";
import { parseEnv } from "../config/env.ts";
import { migrate } from "../db/migrate.ts";
import { runToEnd } from "../http/lifecycle.ts";

/** `npm run db:migrate` */
await runToEnd(async () => {
  const env = parseEnv("migrate", process.env);
  await migrate(env.DATABASE_URL, pino({ level: env.LOG_LEVEL }));
  return 0;
});
