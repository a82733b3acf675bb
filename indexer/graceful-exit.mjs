// Loaded into Ponder's process first. Vite, which Ponder loads our files with, ends the process on SIGTERM by itself, and
// does so before Ponder has let go of the lock on its schema: the next start would wait 25 s for it. Vite registers with
// `once`, Ponder with `on`.
const { once } = process;
process.once = function (event, listener) {
  return event === "SIGTERM" ? this : once.call(this, event, listener);
};
