const pattern =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/;

/**
 * Parses an RFC 3339 §5.6 date-time of the years 0000 to 9999. Rounds fractions of a millisecond down.
 * Rejects leap seconds (second 60), which Unix time cannot represent.
 *
 * @returns milliseconds since the Unix epoch, or undefined for any other text, including dates that do not exist
 */
export function parseRfc3339(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Six;
  const offsetMs = offsetOf(match[8], Number(match[9]), Number(match[10]));
  if (hour > 23 || minute > 59 || second > 59 || offsetMs === undefined) return undefined;
  // Not Date.UTC(year, …), which maps the years 0 to 99 to 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that does not exist overflows into the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, millisecondsOf(match[7]));
  return date.getTime() - offsetMs;
}

type Six = [number, number, number, number, number, number];

function millisecondsOf(fraction = ""): number {
  return Number(fraction.slice(0, 3).padEnd(3, "0"));
}

// Without a sign, the zone is `Z`. `-00:00` is also UTC (RFC 3339 §4.3).
function offsetOf(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (sign === undefined) return 0;
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
