import { setFlagsFromString } from "node:v8";

/**
 * The V8 option that lets the heap grow to four times the size of the live objects before the next full garbage
 * collection.
 *
 * Buffers count as part of the heap. With V8's default, an edge with 26 MB of live objects that serves 550 pages per
 * second, and so allocates 33 MB of buffers per second, collects its whole heap twice per second, which takes a fifth
 * of its CPU time. A load that causes 40 full collections with the default causes only 3 with this option, and the edge
 * uses 50 MB more memory.
 */
export const heapGrowth = "--heap-growing-percent=300";

/** Applies {@link heapGrowth} to this process. The heap still respects the limit of `--max-old-space-size`. */
export function growHeap(): void {
  setFlagsFromString(heapGrowth);
}
