/** A day in milliseconds. */
export const dayMs = 86_400_000;

/** Returns the start in UTC of a day in the form YYYY-MM-DD; undefined for a string that is not such a day. */
export function startOfDay(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const start = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(start.getTime())) return undefined;
  // V8 accepts 31 February and converts it to a day in March.
  return start.toISOString().startsWith(text) ? start : undefined;
}
