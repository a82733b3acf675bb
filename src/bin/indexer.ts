import { runIndexer } from "../indexer.ts";
import { runToEnd } from "../lifecycle/lifecycle.ts";

await runToEnd(() => runIndexer(process.env));
