/** Formats a serial number with at least six digits, padded with leading zeros (INTERFACE.md §2.1). */
export function formatSerial(serial: number): string {
  return String(serial).padStart(6, "0");
}

/** Parses a serial number, ignoring leading zeros; returns undefined for text that cannot be a serial number. */
export function parseSerial(digits: string): number | undefined {
  const serial = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(serial) && serial > 0 ? serial : undefined;
}
