import manifest from "../../package.json" with { type: "json" };

/** Version of the package, from its package.json. */
export const VERSION: string = manifest.version;
