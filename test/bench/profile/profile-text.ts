import { type Frame, type FrameGroup, frameGroups } from "./cpu-profile.ts";

const functionsMax = 25;
const nameMax = 90;

/** Sums the self time of all frames by a key, in microseconds, largest first. */
export function selfTimes<Key>(root: Frame, keyOf: (frame: Frame) => Key): [Key, number][] {
  const times = new Map<Key, number>();
  const visit = (frame: Frame) => {
    times.set(keyOf(frame), (times.get(keyOf(frame)) ?? 0) + frame.self);
    frame.children.forEach(visit);
  };
  visit(root);
  return [...times.entries()].toSorted(([, a], [, b]) => b - a);
}

/** The work that a process did while it was profiled. */
export interface ProfiledWork {
  /** Number of completed units. */
  readonly count: number;
  /** Name of a unit in the singular, such as `page`. */
  readonly unit: string;
  /** CPU time of the process with all its threads, in microseconds. */
  readonly cpuMicros: number;
}

/**
 * Describes a profile: the share of each kind of code, and the functions with the largest self time. A profile measures
 * wall-clock time, which includes the time of other programs; shares are therefore applied to the CPU time.
 */
export function profileText(title: string, root: Frame, { count, unit, cpuMicros }: ProfiledWork): string {
  const share = (micros: number) => `${((100 * micros) / root.total).toFixed(1).padStart(5)} %`;
  const perUnit = (micros: number) =>
    `${Math.round(((micros / root.total) * cpuMicros) / count)
      .toString()
      .padStart(6)} µs`;
  const line = (micros: number, name: string) => `${share(micros)} ${perUnit(micros)}  ${name}`;
  const byGroup = new Map<FrameGroup, number>(selfTimes(root, ({ group }) => group));
  const groupOfName = new Map(
    selfTimes(root, ({ name, group }) => `${group}|${name}`).map(([key]) => {
      const [group = "", name = ""] = key.split("|");
      return [name, group];
    }),
  );
  const functions = selfTimes(root, ({ name }) => name).slice(0, functionsMax);
  return [
    title,
    "",
    `Self time, in µs of CPU time per ${unit}: ${Math.round(cpuMicros / count)} µs in all; ${count} profiled.`,
    "",
    ...frameGroups.map((group) => line(byGroup.get(group) ?? 0, group)),
    "",
    ...functions.map(([name, micros]) => `${line(micros, name.slice(0, nameMax))}  [${groupOfName.get(name)}]`),
    "",
  ].join("\n");
}
