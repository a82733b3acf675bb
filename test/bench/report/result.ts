import type { Summary } from "../rounds.ts";

/** The result of a run. */
export interface Result {
  /** ISO 8601. */
  takenAt: string;
  commit: string;
  isQuick: boolean;
  machine: {
    cpu: string;
    cores: number;
    memoryGb: number;
    node: string;
    loadBefore: number;
  };
  /** Null where only a sandbox was measured. */
  dataSet: { orders: number; keys: number; seedSeconds: number; megabytes: number; postgres: string } | null;
  options: { rounds: number; seconds: number };
  /** Contestants that could not take part, and why. */
  absent: string[];
  sections: Section[];
}

/** Contestants that were measured in turns. */
export interface Section {
  scenario: string;
  title: string;
  /** Null where nothing sends requests. */
  connections: number | null;
  series: Summary[];
  ratios: Ratio[];
  /** Measurements that are no rates, such as memory. */
  values?: { name: string; value: number; unit: string }[];
}

export interface Ratio {
  name: string;
  value: number;
}
