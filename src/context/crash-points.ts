/** Instants between two steps of a send at which tests kill the process. */
export const CRASH_POINTS = [
  "submit:before-commit",
  "submit:after-commit",
  "reserve:before-commit",
  "reserve:after-commit",
  "sign:signed",
  "sign:before-commit",
  "sign:after-commit",
  "broadcast:before",
  "broadcast:after",
  "broadcast-result:after-commit",
  "mined:before-commit",
  "mined:after-commit",
  "final:before-commit",
  "fire:before",
  "fire:after",
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Called at each point; in production there is none. */
export type Crash = (point: CrashPoint) => void;
