import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { hostOf, type Target } from "./target.ts";

export interface BoundedOptions {
  /** Bytes that are received at most, those of TLS included. */
  maxBytes: number;
  /** Called once they were received. The connection is closed by then. */
  onExcess: () => void;
  onError: (error: Error) => void;
}

/** Connects to one of the addresses that were checked. Nothing is received beyond the bound, whatever protocol it belongs to. */
export function openBounded({ url, addresses }: Target, options: BoundedOptions): Duplex {
  const isTls = url.protocol === "https:";
  const host = hostOf(url);
  const port = Number(url.port) || (isTls ? 443 : 80);
  const bounded = new BoundedConnection(connect({ host, port, lookup: pinned(addresses) }), options);
  if (!isTls) return bounded;
  // An address is no name that a server may be asked for; the certificate is verified for it all the same.
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
      if (!this.push(taken)) socket.pause();
      if (left >= 0) return;
      socket.destroy();
      // What was pushed is parsed first: it may have the status.
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
    this.#socket.resume();
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

/** Answers every lookup with the addresses that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}
