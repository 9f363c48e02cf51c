/**
 * Runs work, and returns the CPU time of the most costly turn of this thread's event loop meanwhile, in milliseconds:
 * other programs make turns longer, but do not use their CPU time. Includes up to a millisecond of other turns.
 */
export async function longestTurnCpuMs(work: () => unknown): Promise<number> {
  let longest = 0;
  let before = threadCpuMs();
  const turn = () => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const turns = setInterval(turn, 1);
  try {
    await work();
  } finally {
    turn();
    clearInterval(turns);
  }
  return longest;
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
