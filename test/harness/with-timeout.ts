/**
 * Waits for work, but not for ever.
 *
 * @param late called with the result of work that ends after all, to undo it
 * @throws Error naming `what` when the time is up
 */
export async function withTimeout<T>(
  what: string,
  limitMs: number,
  work: Promise<T>,
  late: (result: T) => unknown = () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      work.then(late).catch(() => undefined);
      reject(new Error(`${what} took longer than ${limitMs / 1_000} s`));
    }, limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
