import type { Product } from "../../support/chain/product.ts";
import type { ServerProcess } from "../contestants/process.ts";
import type { DataSet } from "../dataset/database.ts";
import type { Generator } from "../load/start.ts";
import type { Section } from "../report/result.ts";

/** Provides a scenario with one data set and the api over it; nothing else runs. */
export interface Context {
  isQuick: boolean;
  rounds: number;
  seconds: number;
  data: DataSet;
  product: Product;
  api: ServerProcess;
  generator: Generator;
  /** Another data set on the same server, with an api of its own, for as long as `run` takes. */
  withDataSet<T>(orders: number, run: (data: DataSet, api: ServerProcess) => Promise<T>): Promise<T>;
  /** Names a contestant that could not take part. */
  reportAbsent(contestant: string): void;
}

/** Measures, and hands each section to `report` as soon as it is complete. */
export type Scenario = (context: Context, report: (section: Section) => void) => Promise<void>;
