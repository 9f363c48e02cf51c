/**
 * Waits until every start has ended, so that no process starts after the others have been ended because of an error.
 *
 * @returns the results in order
 * @throws the first error
 */
export async function allStarted<Part>(starts: readonly Promise<Part>[]): Promise<Part[]> {
  await Promise.allSettled(starts);
  return Promise.all(starts);
}
