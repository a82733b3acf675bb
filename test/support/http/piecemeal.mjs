// Run by piecemeal.ts in a process of its own, so that what it costs is not the tests'. Opens connections at once, sends each
// the same bytes, and leaves them open. Prints "sent" when the system has taken all bytes, or the server has closed.
import { connect } from "node:net";

const { port, connections, head, piece, pieces } = JSON.parse(process.argv[2]);
const bytes = Buffer.from(head + piece.repeat(pieces), "latin1");
const send = () =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", resolve).on("close", resolve).resume();
    socket.write(bytes, resolve);
  });
await Promise.all(Array.from({ length: connections }, send));
process.stdout.write("sent\n");
process.stdin.resume().on("end", () => process.exit());
