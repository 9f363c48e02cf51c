/** A function that constructs objects. */
type Constructor = Parameters<typeof Reflect.construct>[0];

/**
 * Returns a constructor that takes the place of another one. They share a prototype, so that an object of one is an
 * instance of both. A proxy would make each `instanceof` slow.
 *
 * @param construct receives the arguments, and the class to construct: the original, or one that extends it
 */
export function inPlaceOf(
  original: Constructor,
  construct: (args: readonly unknown[], target: Constructor) => object,
): unknown {
  function Replacement(...args: readonly unknown[]): unknown {
    if (new.target === undefined) return Reflect.apply(original, undefined, args);
    return construct(args, new.target === Replacement ? original : new.target);
  }
  Replacement.prototype = original.prototype;
  return Object.setPrototypeOf(Replacement, original);
}
