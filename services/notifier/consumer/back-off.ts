/** How long to wait before the next try: doubling from `firstMs` to `maxMs`, with jitter of up to a quarter less. */
export function backOffMs(failures: number, firstMs: number, maxMs: number): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  return full * (1 - Math.random() / 4);
}
