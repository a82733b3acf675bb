import { ApiError } from "../../protocol/errors.ts";

/** Bounds the streams of a process. */
export interface StreamSlots {
  /** @returns what frees the slot; a second call does nothing. @throws ApiError TOO_MANY_STREAMS */
  take(holder: string): () => void;
}

/** @param perHolderMax streams of one key. @param max streams of all keys */
export function createStreamSlots({ perHolderMax, max }: { perHolderMax: number; max: number }): StreamSlots {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    take: (holder) => {
      const own = held.get(holder) ?? 0;
      if (own >= perHolderMax) {
        const message = `This API key has ${own} streams open here, which is its limit: close one first`;
        throw new ApiError("TOO_MANY_STREAMS", { message });
      }
      if (taken >= max)
        throw new ApiError("TOO_MANY_STREAMS", { message: "This server has as many streams as it takes" });
      held.set(holder, own + 1);
      taken += 1;
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        taken -= 1;
        const left = (held.get(holder) ?? 0) - 1;
        if (left > 0) held.set(holder, left);
        else held.delete(holder);
      };
    },
  };
}
