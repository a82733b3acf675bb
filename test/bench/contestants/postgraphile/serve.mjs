// PostGraphile over the index's tables, with the settings that its documentation names for production.
import { createServer } from "node:http";
import pg from "pg";
import { postgraphile } from "postgraphile";

const { DATABASE_URL, SCHEMA, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });
const options = {
  dynamicJson: true,
  graphiql: false,
  ignoreRBAC: false,
  legacyRelations: "omit",
  disableQueryLog: true,
  setofFunctionsContainNulls: false,
};

createServer(postgraphile(pool, SCHEMA, options)).listen(Number(PORT), "127.0.0.1");
