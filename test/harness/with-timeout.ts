/**
 * Waits at most `limitMs` for `work`.
 *
 * @param what describes the work in the error
 * @param late receives a result that arrives after the limit, so that its effect can be undone
 * @throws Error after the limit, or the error of `work`
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
