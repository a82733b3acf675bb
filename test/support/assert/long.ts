/** True in `npm run test:long`: what is random or large lasts longer there. Its shape, and what is checked, are the same. */
export const LONG = process.env.TEST_LONG === "1";
