/**
 * Waits until every start has succeeded or failed, so that no process starts after an error has stopped the others.
 *
 * @returns the results in order
 * @throws the first error
 */
export async function allStarted<Part>(starts: readonly Promise<Part>[]): Promise<Part[]> {
  await Promise.allSettled(starts);
  return Promise.all(starts);
}
