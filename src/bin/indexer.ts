import { runToEnd } from "../http/lifecycle.ts";
import { runIndexer } from "../indexer.ts";

await runToEnd(() => runIndexer(process.env));
