import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { ApiError } from "../protocol/errors.ts";
import { once } from "./once.ts";

/** Codings of content, the smallest first. */
const CODINGS = ["br", "gzip"] as const;
type Coding = (typeof CODINGS)[number];

export interface StaticFile {
  path: string;
  type: string;
  cacheControl: string;
  /**
   * Returns the content. Called once, when it is first asked for: to render and compress all that nobody may ask for would take
   * a quarter of the processor time of each start.
   */
  content: () => Content;
}

export interface Content {
  plain: Buffer;
  /** The same in other codings; without them it is sent as it stands. */
  encoded?: Partial<Record<Coding, Buffer>>;
}

/** Returns content in every coding. */
export function compressed(plain: Buffer): Content {
  // Five is 3 ms for the OpenAPI document; eleven saves a tenth of its bytes and takes a second.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  return { plain, encoded: { br: brotliCompressSync(plain, { params }), gzip: gzipSync(plain) } };
}

interface Representation {
  coding: Coding | null;
  bytes: Buffer;
  etag: string;
}

/**
 * Answers every GET of the files' paths, to any caller: the same buffer for all requests. Each coding has a strong ETag of its
 * own, because the bytes differ. Other methods are ROUTE_NOT_FOUND.
 * @param before runs before each file, to set headers
 */
export function serveFiles(files: readonly StaticFile[], ...before: readonly RequestHandler[]): Router {
  // Strict: below a path with a slash at its end, a page's relative paths would lead elsewhere.
  const router = Router({ caseSensitive: true, strict: true });
  for (const file of files) {
    const representations = once(() => representationsOf(file.content()));
    // Express would answer HEAD and OPTIONS by itself.
    router.all(file.path, (request, _response, next) => {
      if (request.method !== "GET") throw new ApiError("ROUTE_NOT_FOUND");
      next();
    });
    router.get(file.path, ...before, (request, response) => {
      answer(request, response, file, representations());
    });
  }
  return router;
}

function representationsOf({ plain, encoded = {} }: Content): Representation[] {
  const hash = createHash("sha256").update(plain).digest("base64url");
  const coded = CODINGS.flatMap((coding) => {
    const bytes = encoded[coding];
    return bytes ? [{ coding, bytes, etag: `"${hash}-${coding}"` }] : [];
  });
  return [...coded, { coding: null, bytes: plain, etag: `"${hash}"` }];
}

function answer(
  request: Request,
  response: Response,
  { type, cacheControl }: StaticFile,
  representations: readonly Representation[],
): void {
  const accepted = request.acceptsEncodings();
  const chosen = representations.find(({ coding }) => coding === null || accepted.includes(coding));
  if (!chosen) throw new Error("a file without its plain content");
  if (representations.length > 1) response.vary("accept-encoding");
  if (chosen.coding) response.set("content-encoding", chosen.coding);
  response.set({ "content-type": type, "cache-control": cacheControl, etag: chosen.etag });
  // Express compares the ETag with If-None-Match, and answers 304.
  response.send(chosen.bytes);
}
