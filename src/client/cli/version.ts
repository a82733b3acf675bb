/** Version of the package, held against its package.json by a test. */
export const VERSION = "0.3.0";
