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
  /** Bytes that each connection has sent since the headers of its last request. */
  const received = new WeakMap<Socket, number>();

  server.on("connection", (socket: Socket) => {
    const push = socket.push.bind(socket);
    socket.push = (read: Buffer | null) => {
      if (read === null) return push(null);
      let takesMore = true;
      for (let start = 0; start < read.length && !isClosing(socket); start += SLICE_BYTES) {
        const slice = read.subarray(start, start + SLICE_BYTES);
        const bytes = (received.get(socket) ?? 0) + slice.length;
        received.set(socket, bytes);
        if (bytes > WIRE_MAX_BYTES) onExcess(socket);
        else takesMore = push(slice);
      }
      if (!isClosing(socket)) return takesMore;
      if (socket.readableLength === 0) release(read);
      return false;
    };
    // The parser reads from the system by itself, past push(), until the socket has had another listener than the server's.
    const listener = () => undefined;
    socket.on("data", listener).off("data", listener);
  });
  return {
    watch: (request) => {
      received.set(request.socket, 0);
      if (hasBody(request)) boundPieces(request, onExcess);
    },
  };
}

function boundPieces(request: IncomingMessage, onExcess: (socket: Socket) => void): void {
  const push = request.push.bind(request);
  let pieces = 0;
  let bytes = 0;
  request.push = (piece: Buffer | null) => {
    if (piece === null) return push(null);
    pieces += 1;
    bytes += piece.length;
    if (pieces <= PIECES_FREE + Math.min(bytes, BODY_MAX_BYTES) / PIECE_BYTES) return push(piece);
    if (!isClosing(request.socket)) onExcess(request.socket);
    return false;
  };
}

const { port1: closedPort, port2: otherPort } = new MessageChannel();
otherPort.close();

/**
 * Frees what was read from a connection that is closing, of which nothing is used any more: a message to a closed port is discarded.
 * V8 frees 64 KiB outside its heap no sooner than a small object, so that many connections cut at once would hold as much.
 */
function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) closedPort.postMessage(null, [buffer]);
}

const isClosing = (socket: Socket): boolean => socket.destroyed || socket.writableEnded;
