import { parseIsoTime } from "#shared/time/iso-time.ts";

const shape = /^([-\d]+) ([:\d]+) [+-](?:0\d|1[0-4])[0-5]\d$/;

/** Returns whether the text is a valid time in the export's format (`2024-05-01 10:11:12 +0200`). */
export function isExportTime(text: string): boolean {
  return shape.test(text) && parseIsoTime(text.replace(shape, "$1T$2Z")) !== undefined;
}
