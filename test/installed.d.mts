export const NODE_VERSIONS: readonly string[];
export const POSTGRES_VERSIONS: Readonly<Record<string, string>>;
