const pattern =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?:[Zz]|([+-])([0-9]{2}):?([0-9]{2}))$/;

// The range of google.protobuf.Timestamp, the type in which the services send times.
const minMs = Date.parse("0001-01-01T00:00:00.000Z");
const maxMs = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Parses an ISO 8601 date and time with a zone: an RFC 3339 §5.6 date-time in which the seconds and the colon of the
 * offset may be missing (`2026-03-01T12:00+0100`). Rounds fractions of a millisecond down. Rejects the year 0000, times
 * outside the years 1 to 9999 in UTC, and leap seconds (second 60), which Unix time cannot represent.
 *
 * @returns milliseconds since the Unix epoch, or undefined for any other text, including dates that do not exist
 */
export function parseIsoTime(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number) as Five;
  const second = Number(match[6] ?? 0);
  const offsetMs = offsetOf(match[8], Number(match[9]), Number(match[10]));
  if (year === 0 || hour > 23 || minute > 59 || second > 59 || offsetMs === undefined) return undefined;
  // Not Date.UTC(year, …), which treats the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that does not exist overflows into the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, millisecondsOf(match[7]));
  const timeMs = date.getTime() - offsetMs;
  return timeMs >= minMs && timeMs <= maxMs ? timeMs : undefined;
}

type Five = [number, number, number, number, number];

function millisecondsOf(fraction = ""): number {
  return Number(fraction.slice(0, 3).padEnd(3, "0"));
}

// Without a sign, the zone is `Z`. `-00:00` is also UTC (RFC 3339 §4.3).
function offsetOf(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (sign === undefined) return 0;
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
