// Loaded into a child process first, so that it ends with its parent: it holds a lock on its schema, and one that
// outlives its parent would keep the next start of the same build out. However the parent dies, the channel to it closes.
import fs from "node:fs";

// An orderly end takes 5 s at most.
const KILL_AFTER_MS = 10_000;

process.on("disconnect", () => {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.kill(process.pid, "SIGKILL"), KILL_AFTER_MS);
});
process.channel?.unref();

// The log of an orphan is not read, and pino tries a write to a broken pipe again for ever, blocking everything else.
const { writeSync } = fs;
fs.writeSync = (fd, data, ...rest) => {
  try {
    return writeSync(fd, data, ...rest);
  } catch (error) {
    if (error.code === "EPIPE" && (fd === 1 || fd === 2)) return Buffer.byteLength(data);
    throw error;
  }
};
