/** Set by `npm run test:all`. */
const testsAll = process.env.TEST_ALL_VARIANTS === "1" || process.env.UPDATE_SCREENSHOTS === "1";

/**
 * Returns the variants of a page (screens, languages, paper sizes) with which a test opens it: `npm run test:all` opens
 * it with all, `npm test` with the first, because each takes seconds of a browser's time.
 */
export function variants<const T>(all: readonly T[]): readonly T[] {
  return testsAll ? all : all.slice(0, 1);
}
