import { runIndexer } from "../indexer.ts";
import { runToEnd } from "../lifecycle.ts";

await runToEnd(() => runIndexer(process.env));
