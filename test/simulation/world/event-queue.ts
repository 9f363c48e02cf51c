/** Something that happens at a virtual time. */
interface WorldEvent {
  readonly atMs: number;
  /** The order of events of the same time. */
  readonly number: number;
  /** Returns whether any code has run: the event may have been cancelled, or its process paused. */
  readonly happen: () => boolean;
}

/** A binary heap of events, the next one first. */
export class EventQueue {
  readonly #heap: WorldEvent[] = [];

  push(event: WorldEvent): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    for (;;) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (index === 0 || above === undefined || isBefore(above, event)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  shift(): WorldEvent | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]];
      if (left === undefined) break;
      const isLeft = right === undefined || isBefore(left, right);
      const child = isLeft ? left : right;
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = 2 * index + (isLeft ? 1 : 2);
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: WorldEvent, other: WorldEvent): boolean {
  return one.atMs === other.atMs ? one.number < other.number : one.atMs < other.atMs;
}
