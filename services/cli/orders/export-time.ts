const shape = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) [+-](?:0\d|1[0-4])[0-5]\d$/;

/** Returns whether the text is a time in the export's format (`2024-05-01 10:11:12 +0200`) on an existing day. */
export function isExportTime(text: string): boolean {
  const parts = shape.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (hour > 23 || minute > 59 || second > 59) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
