import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";

/** Answer of a server to a request that had a connection of its own. */
export interface ProbeAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** Expiry of the server's certificate, Unix seconds; null without TLS. */
  certificateExpiresAt: number | null;
}

/**
 * Sends a GET over a new connection, as a caller who comes for the first time: name, connection and TLS are part of what is measured.
 * @throws Error where there is no whole answer in time, or the server's certificate is not valid
 */
export function requestOnce(
  url: URL,
  headers: http.OutgoingHttpHeaders,
  timeoutMs: number,
): Promise<ProbeAnswer> {
  const { request } = url.protocol === "https:" ? https : http;
  const options = { headers, agent: false, signal: AbortSignal.timeout(timeoutMs) } as const;
  return new Promise((resolve, reject) => {
    const answered = async (response: http.IncomingMessage): Promise<ProbeAnswer> => {
      // Read before the body: an ended connection shows no certificate.
      const certificateExpiresAt = expiryOf(response.socket);
      const body = await text(response);
      return { status: response.statusCode ?? 0, headers: response.headers, body, certificateExpiresAt };
    };
    request(url, options, (response) => answered(response).then(resolve, reject))
      .once("error", reject)
      .end();
  });
}

function expiryOf(socket: object): number | null {
  if (!("getPeerCertificate" in socket)) return null;
  const { valid_to: validTo } = (socket as TLSSocket).getPeerCertificate();
  return Date.parse(validTo) / 1000;
}
