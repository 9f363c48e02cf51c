import { InvalidArgumentError } from "commander";

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Parses a duration: a whole number followed by s, m, h or d, such as `24h`, or `0`.
 *
 * @returns seconds
 * @throws InvalidArgumentError for any other text
 */
export function parseDuration(text: string): number {
  const [, count, unit = "s"] = /^(0|[1-9]\d{0,8}(?=[smhd]))([smhd])?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Give a duration such as 90m, 24h or 7d, or 0.");
  return Number(count) * (secondsPerUnit[unit] ?? 1);
}
