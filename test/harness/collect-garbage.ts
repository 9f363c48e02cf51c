import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: unknown;

/** Runs a garbage collection, so that only what is still referenced counts as memory in use. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc");
  }
  if (typeof collect === "function") Reflect.apply(collect, undefined, []);
}
