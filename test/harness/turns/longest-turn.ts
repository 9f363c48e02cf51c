const runsMax = 5;

/**
 * Runs work, and returns the CPU time of the most costly turn of this thread's event loop meanwhile, in milliseconds:
 * other programs make turns longer, but do not use their CPU time. Includes up to a millisecond of other turns.
 *
 * @param enoughMs the work is run again, up to four times, while it takes this time or longer, and the least is
 *   returned: a turn can include a garbage collection of what other tests have left
 */
export async function longestTurnCpuMs(work: () => unknown, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runsMax && least >= enoughMs; run++) least = Math.min(least, await longestTurnOf(work));
  return least;
}

async function longestTurnOf(work: () => unknown): Promise<number> {
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
