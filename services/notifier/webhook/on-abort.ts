import { addAbortListener } from "node:events";

const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls a listener when the signal aborts, until the listener is disposed of: `addAbortListener` for a signal that
 * hundreds of attempts share. An EventTarget searches all its listeners whenever one is added or removed. The listener
 * must not throw.
 */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  const listeners = listenersOf.get(signal) ?? listenTo(signal);
  const own = () => listener();
  if (signal.aborted) queueMicrotask(own);
  else listeners.add(own);
  return { [Symbol.dispose]: () => void listeners.delete(own) };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  addAbortListener(signal, () => {
    for (const listener of listeners) listener();
  });
  listenersOf.set(signal, listeners);
  return listeners;
}
