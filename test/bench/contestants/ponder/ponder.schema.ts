export * from "../../../../indexer/ponder.schema.ts";
