import { UsageError } from "../output/usage-error.ts";
import type { Context, ContextFile } from "./context-file.ts";

/** A context and its name. */
export interface NamedContext extends Context {
  readonly name: string;
}

/**
 * Returns the context with this name. Without a name, returns the current context, or undefined if no context is
 * current.
 *
 * @param name value of `--context` or `CERTCTL_CONTEXT`; undefined or empty for the current context
 * @throws UsageError if the context does not exist
 */
export function chooseContext({ contexts, current }: ContextFile, name: string | undefined): NamedContext | undefined {
  const chosen = name || current;
  return chosen === undefined ? undefined : { name: chosen, ...contextNamed(contexts, chosen) };
}

/** Returns the context with this name. @throws UsageError if it does not exist */
export function contextNamed(contexts: ContextFile["contexts"], name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  throw new UsageError(`The context '${name}' does not exist. To list the contexts, run 'certctl context list'.`);
}
