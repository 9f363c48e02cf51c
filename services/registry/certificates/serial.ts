/** Formats a serial number: digits, padded with zeros to at least six (INTERFACE.md §2.1). */
export function formatSerial(serial: number): string {
  return String(serial).padStart(6, "0");
}

/** Parses a serial number, ignoring leading zeros. @returns undefined for text that cannot be a serial number */
export function parseSerial(digits: string): number | undefined {
  const serial = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(serial) && serial > 0 ? serial : undefined;
}
