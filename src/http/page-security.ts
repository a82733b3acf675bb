import type { RequestHandler } from "express";
import helmet from "helmet";

/** For pages with scripts: those of this service run, and call no other host. */
export const OWN_SCRIPTS = { scriptSrc: ["'self'"], connectSrc: ["'self'"] };

/**
 * Returns the middleware that protects a web page: it may have the service's own style, and nothing is run, loaded or framed. No
 * form goes anywhere, so that nothing that was typed ends up in a URL.
 * @param more directives of the content security policy beside these
 */
export function securePage(more: Readonly<Record<string, string[]>> = {}): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        ...more,
      },
    },
    xFrameOptions: { action: "deny" },
    referrerPolicy: { policy: "no-referrer" },
  });
}
