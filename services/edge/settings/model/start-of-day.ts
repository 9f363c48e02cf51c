/** Parses a day in the format YYYY-MM-DD and returns its start in UTC; undefined for any other string. */
export function startOfDay(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const start = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(start.getTime())) return undefined;
  // V8 accepts 31 February and converts it to a day in March.
  return start.toISOString().startsWith(text) ? start : undefined;
}
