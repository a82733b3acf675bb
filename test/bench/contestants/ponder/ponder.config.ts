// `ponder serve` wants the configuration of an indexer, though it indexes nothing.
export { default } from "../../../../indexer/ponder.config.ts";
