import type { RequestHandler } from "express";
import helmet from "helmet";

/**
 * Returns the middleware that protects a web page: nothing but the service's own files runs, styles or is asked, and no form
 * goes anywhere, so that nothing that was typed ends up in a URL.
 * @param more directives of the content security policy beside these
 */
export function securePage(more: Readonly<Record<string, string[]>> = {}): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        connectSrc: ["'self'"],
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
