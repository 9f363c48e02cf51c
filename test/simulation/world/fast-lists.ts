/**
 * Makes `Array.from({ length })` fast, until disposal: Node visits each place. lru-cache allocates its lists like that,
 * hundreds of thousands of places for each replica that starts.
 */
export function allocateListsAtOnce(): Disposable {
  const { from } = Array;
  function fromLength(this: unknown, ...args: unknown[]): unknown {
    const [items] = args;
    return this === Array && args.length === 1 && isLength(items)
      ? new Array(items.length).fill(undefined)
      : Reflect.apply(from, this, args);
  }
  Reflect.set(Array, "from", fromLength);
  return { [Symbol.dispose]: () => void Reflect.set(Array, "from", from) };
}

function isLength(items: unknown): items is { readonly length: number } {
  if (typeof items !== "object" || items === null || items.constructor !== Object) return false;
  const [first, second] = Object.keys(items);
  return first === "length" && second === undefined && "length" in items && Number.isSafeInteger(items.length);
}
