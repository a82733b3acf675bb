/** Tracks the cost units that each key has in flight on one replica. */
export interface InFlightLimit {
  /** Cost units that one key may have in flight. */
  points: number;
  /**
   * Enters a request. Where the key has nothing else in flight, it enters at any cost.
   * @returns a function that ends it and may be called twice; null where there is no room
   */
  enter(keyId: string, cost: number): (() => void) | null;
}

/**
 * Bounds how long one key's requests can keep those of others waiting: a replica answers them one after the other,
 * however many arrive at once.
 * @param points 0: no limit
 */
export function createInFlightLimit(points: number): InFlightLimit {
  const used = new Map<string, number>();
  return {
    points,
    enter(keyId, cost) {
      const before = used.get(keyId) ?? 0;
      if (points > 0 && before > 0 && before + cost > points) return null;
      used.set(keyId, before + cost);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (used.get(keyId) ?? 0) - cost;
        if (left > 0) used.set(keyId, left);
        else used.delete(keyId);
      };
    },
  };
}
