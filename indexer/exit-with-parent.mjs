// Loaded into Ponder's process: it holds a lock on its schema, and one that outlives its parent would keep the next
// start of the same build out. However the parent died, the channel to it closes.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
