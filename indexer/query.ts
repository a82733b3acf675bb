import pg from "pg";

/** Runs statements of the indexer's own on a connection that ends with them. */
export async function withClient<T>(
  connectionString: string,
  options: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000, ...options });
  // The statement under way fails with it; an event without a listener would end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
