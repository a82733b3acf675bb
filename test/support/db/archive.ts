/** The tables of the archive of settled lists, for empty.ts. It fires no trigger, so the counts are to be emptied too. */
export const ARCHIVE = [
  "app.settled_order",
  "app.settled_operation",
  "app.settled_count",
  "app.settled_count_change",
  "app.settled_chain",
] as const;
