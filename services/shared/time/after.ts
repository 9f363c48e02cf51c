/**
 * Calls `action` once the time has passed, unless disposed of before. After a pause of the process, input that has
 * arrived meanwhile is read first, and may dispose of the action: a timer alone would fire before it is read.
 */
export function after(durationMs: number, action: () => void): Disposable {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(action);
  }, durationMs);
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      clearImmediate(turn);
    },
  };
}
