import type { ChainsQuery } from "../service/documents.ts";

export type Chain = ChainsQuery["dashboard"]["chains"][number];
