// The least that an application does with the events that the indexer handles: an insert for each.
import { ponder } from "ponder:registry";
import { handledEvents } from "../../../backfill/events.ts";
import { chainEvent } from "../ponder.schema.ts";

for (const name of handledEvents()) {
  ponder.on(name, async ({ event, context }) => {
    await context.db.insert(chainEvent).values({ id: event.id, blockNumber: event.block.number });
  });
}
