import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { withClient } from "../../indexer/query.ts";
import { createDatabase } from "../support/db/postgres.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

it("a connection that breaks between two statements fails the next one, and does not end the process", async () => {
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const work = withClient(database.url, {}, async (client) => {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    // Not by `once` of Node.js, which listens to errors as well.
    const ended = new Promise<void>((resolve) => client.once("end", () => resolve()));
    await admin.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
    await ended;
    return client.query("SELECT 1");
  });
  await expect(work).rejects.toThrow(/connection/i);
  await admin.end();
});
