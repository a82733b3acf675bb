// The same chains, contracts and addresses as the indexer.
export { default } from "../../../../indexer/ponder.config.ts";
