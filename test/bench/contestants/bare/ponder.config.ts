// Indexes the chains, contracts and addresses of the indexer.
export { default } from "../../../../indexer/ponder.config.ts";
