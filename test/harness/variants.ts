/** Set by `npm run test:all`. */
const testsAll = process.env.TEST_ALL_VARIANTS === "1" || process.env.UPDATE_SCREENSHOTS === "1";

/**
 * Returns the variants with which a test repeats what takes seconds, such as the screens, languages and paper sizes of
 * a page: all in `npm run test:all`, the first in `npm test`.
 */
export function variants<const T>(all: readonly T[]): readonly T[] {
  return testsAll ? all : all.slice(0, 1);
}
