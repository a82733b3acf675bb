import { ApiError } from "../protocol/errors.ts";

/** Returns what a read of the index answers; `otherwise` while there is no index to read. */
export async function whereIndexed<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "INDEXER_BEHIND") return otherwise;
    throw error;
  }
}
