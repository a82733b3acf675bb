/** Version of the package, compared with its package.json by a test. */
export const VERSION = "0.3.0";
