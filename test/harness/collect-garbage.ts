import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs a garbage collection, so that only what is still referenced counts as memory in use. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") Reflect.apply(collect, undefined, []);
}
