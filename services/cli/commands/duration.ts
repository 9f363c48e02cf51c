import { InvalidArgumentError } from "commander";

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Reads a length of time: a whole number and s, m, h or d, such as `24h`; `0` needs no unit.
 *
 * @returns seconds
 * @throws InvalidArgumentError for anything else
 */
export function parseDuration(text: string): number {
  const [, count, unit = "s"] = /^(0|[1-9]\d{0,8}(?=[smhd]))([smhd])?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("It is not a time such as 90m, 24h or 7d, or 0.");
  return Number(count) * (secondsOf[unit] ?? 1);
}
