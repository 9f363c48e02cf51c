const widthMin = 6;

/** A serial number as it is shown: digits, padded with zeros to at least six (INTERFACE.md §2.1). */
export function formatSerial(serial: number): string {
  return String(serial).padStart(widthMin, "0");
}

/**
 * The number that digits stand for; leading zeros do not matter.
 *
 * @returns undefined for a number that no certificate can have
 */
export function parseSerial(digits: string): number | undefined {
  const serial = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(serial) && serial > 0 ? serial : undefined;
}
