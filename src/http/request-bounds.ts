import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { BODY_MAX_BYTES, hasBody } from "./body.ts";

/**
 * A body may come in this many pieces of any size, and in one more for each PIECE_BYTES of it. A chunk is a piece, and so is each
 * part of one that arrives by itself: in the smallest TCP segments that are usual, of 536 bytes, the largest body has 123. A piece
 * costs the same time, whatever its size.
 */
const PIECES_FREE = 128;
const PIECE_BYTES = 256;
/**
 * Bytes on the wire after a request's headers, until those of the next one. Chunk sizes, extensions and trailers count, which
 * the parser does not show. A body that is taken needs a fraction; the rest is read after an early refusal (http-exchange.ts).
 */
const WIRE_MAX_BYTES = 1024 * 1024;
/** Node reads 64 KiB at a time, and its parser cannot be stopped within what it was given: some 11,000 chunks of one byte. */
const SLICE_BYTES = 4096;

/** Bytes on the wire, and pieces of a body, that arrived since the headers of a connection's last request. */
interface Received {
  bytes: number;
  pieces: number;
}

export interface RequestBounds {
  /** Bounds the body of a request, from when its headers were read. */
  watch(request: IncomingMessage): void;
}

/**
 * Bounds what a server reads of a request, whoever reads the body, if anybody does. Hands what arrives to the parser in slices, and
 * nothing more once the connection is closing.
 * @param onExcess closes the connection of a request that comes in too many pieces or bytes
 */
export function boundRequests(server: Server, onExcess: (socket: Socket) => void): RequestBounds {
  const received = new WeakMap<Socket, Received>();

  server.on("connection", (socket: Socket) => {
    const push = socket.push.bind(socket);
    const since: Received = { bytes: 0, pieces: 0 };
    received.set(socket, since);
    socket.push = (read: Buffer | null) => {
      if (read === null) return push(null);
      let takesMore = true;
      const { pieces } = since;
      for (let start = 0; start < read.length && !isClosing(socket); start += SLICE_BYTES) {
        const slice = read.subarray(start, start + SLICE_BYTES);
        since.bytes += slice.length;
        if (since.bytes > WIRE_MAX_BYTES) onExcess(socket);
        else takesMore = push(slice);
      }
      const isUnused = isClosing(socket) || (since.bytes > BODY_MAX_BYTES && since.pieces === pieces);
      if (isUnused && socket.readableLength === 0) release(read);
      return takesMore && !isClosing(socket);
    };
    // The parser reads from the system by itself, past push(), until the socket has had another listener than the server's.
    const listener = () => undefined;
    socket.on("data", listener).off("data", listener);
  });
  return {
    watch: (request) => {
      const since = received.get(request.socket);
      if (!since) return;
      since.bytes = 0;
      if (hasBody(request)) boundPieces(request, since, onExcess);
    },
  };
}

function boundPieces(request: IncomingMessage, since: Received, onExcess: (socket: Socket) => void): void {
  const push = request.push.bind(request);
  let bytes = 0;
  since.pieces = 0;
  request.push = (piece: Buffer | null) => {
    if (piece === null) return push(null);
    since.pieces += 1;
    bytes += piece.length;
    if (since.pieces <= PIECES_FREE + Math.min(bytes, BODY_MAX_BYTES) / PIECE_BYTES) return push(piece);
    if (!isClosing(request.socket)) onExcess(request.socket);
    return false;
  };
}

const { port1: closedPort, port2: otherPort } = new MessageChannel();
otherPort.close();

/**
 * Frees what was read and is used no more, as it is of a closing connection, or was framing beyond all that a body may have: a message
 * to a closed port is discarded. V8 frees 64 KiB outside its heap no sooner than a small object, so that many connections would hold as much.
 */
function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) closedPort.postMessage(null, [buffer]);
}

const isClosing = (socket: Socket): boolean => socket.destroyed || socket.writableEnded;
