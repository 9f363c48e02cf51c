const SHAPE = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) [+-](?:0\d|1[0-4])[0-5]\d$/;

/** Whether the text is a time as the export writes it (`2024-05-01 10:11:12 +0200`) on a day that exists. */
export function isExportTime(text: string): boolean {
  const parts = SHAPE.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (hour > 23 || minute > 59 || second > 59) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
