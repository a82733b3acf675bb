import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { hostOf, type Target } from "./target.ts";

export interface BoundedOptions {
  /** Maximum number of bytes received, those of TLS included. */
  maxBytes: number;
  /** Called when more than `maxBytes` was received, after the connection was closed. */
  onExcess: () => void;
  onError: (error: Error) => void;
}

/** Connects to one of the checked addresses. Receives nothing beyond the maximum, in any protocol. */
export function openBounded({ url, addresses }: Target, options: BoundedOptions): Duplex {
  const isTls = url.protocol === "https:";
  const host = hostOf(url);
  const port = Number(url.port) || (isTls ? 443 : 80);
  const bounded = new BoundedConnection(connect({ host, port, lookup: pinned(addresses) }), options);
  if (!isTls) return bounded;
  // An address is not a valid server name; the certificate is verified for it nevertheless.
  const servername = isIP(host) === 0 ? host : "";
  return connectTls({ socket: bounded, host, servername, ALPNProtocols: ["http/1.1"] });
}

/** Carries a TCP connection, and closes it once it has received too much. */
class BoundedConnection extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket, { maxBytes, onExcess, onError }: BoundedOptions) {
    super();
    this.#socket = socket;
    let left = maxBytes;
    socket.on("data", (chunk: Buffer) => {
      const taken = chunk.subarray(0, left);
      left -= chunk.length;
      // Never paused: no more than the maximum waits to be read.
      this.push(taken);
      if (left >= 0) return;
      socket.destroy();
      // Pushed bytes are parsed first: they may hold the status.
      setImmediate(onExcess);
    });
    socket.on("end", () => this.push(null));
    socket.on("error", (error) => {
      onError(error);
      this.destroy(error);
    });
    socket.on("close", () => this.destroy());
  }

  override _read(): void {
    // The socket is not paused.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** Answers every lookup with the checked addresses. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}
