/**
 * Waits until every start has succeeded or failed, so that no process starts after an error has stopped the others.
 *
 * @returns the results, in the order of `starts`
 * @throws the error of the first failed start, in the same order
 */
export async function allStarted<Part>(starts: readonly Promise<Part>[]): Promise<Part[]> {
  await Promise.allSettled(starts);
  return Promise.all(starts);
}
