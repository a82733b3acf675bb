export type Module = Record<string, unknown>;

export declare const runnerOf: (modules: Readonly<Record<string, () => Promise<Module>>>) => new (config: {
  root: string;
}) => {
  executeFile(file: string): Promise<Module>;
  executeId(id: string): Promise<Module>;
};

export declare const createServer: (options: { root: string }) => Promise<{ config: { root: string } }>;
