import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";

// Ponder's own GraphQL API over the indexer's tables, as its documentation sets it up.
const app = new Hono();
app.use("/graphql", graphql({ db, schema }));

export default app;
