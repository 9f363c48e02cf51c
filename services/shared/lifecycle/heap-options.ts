import { setFlagsFromString } from "node:v8";

/**
 * The option of Node that bounds the two halves of the young generation at 16 MiB each, in place of V8's 32; it counts
 * only when a process starts. With {@link heapGrowth}, it saves a busy service 50 to 60 MiB for a twentieth more CPU
 * time, in comparison with V8's bound and a heap of four times the live objects.
 */
export const youngGeneration = "--max-semi-space-size=16";

/**
 * The V8 option that lets the heap grow to twice the size of the live objects before the next full garbage
 * collection.
 *
 * Buffers count as part of the heap, and V8's own factor falls to 1.1 when collections are cheap. An edge with 26 MB of
 * live objects that allocates 33 MB of buffers per second then collects its whole heap twice per second, which takes a
 * fifth of its CPU time.
 */
export const heapGrowth = "--heap-growing-percent=100";

/** Applies {@link heapGrowth} to this process. The heap still respects the limit of `--max-old-space-size`. */
export function growHeap(): void {
  setFlagsFromString(heapGrowth);
}
