import type { Notice } from "./notice-store.ts";

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Returns a notice in the API's shape. */
export function presentNotice({ noticeId, chainId, startsAt, endsAt, text, canceledAt }: Notice) {
  return {
    noticeId,
    chainId,
    startsAt: seconds(startsAt),
    endsAt: seconds(endsAt),
    text,
    canceledAt: canceledAt && seconds(canceledAt),
  };
}
