import type { ErrCode } from "../../protocol/errors.ts";
import { CLAIM_PAGES } from "./claim-pages.ts";
import { ORDER_PAGES } from "./order-pages.ts";
import type { ErrorPage } from "./page.ts";
import { REQUEST_PAGES } from "./request-pages.ts";
import { SEND_PAGES } from "./send-pages.ts";
import { SERVICE_PAGES } from "./service-pages.ts";

/** Page of each errCode. A new errCode without one does not compile. */
export const ERROR_PAGES: Readonly<Record<ErrCode, ErrorPage>> = {
  ...SERVICE_PAGES,
  ...ORDER_PAGES,
  ...REQUEST_PAGES,
  ...SEND_PAGES,
  ...CLAIM_PAGES,
};
