/** The period in which a certificate is valid, in milliseconds since the epoch. */
export interface Validity {
  readonly validFrom: number;
  readonly validTo: number;
}

// Share of the validity period. A certificate is usually renewed when a third of its period is left, so its renewal is
// overdue when less than this share is left.
const shareLeftMin = 0.1;
const hourMs = 3_600_000;

/**
 * Describes when a certificate expires.
 *
 * @param now milliseconds since the epoch
 * @returns `isDue`: whether the certificate must be replaced, because it is not valid now or less than a tenth of its
 * validity period is left
 */
export function describeExpiry({ validFrom, validTo }: Validity, now: number): { isDue: boolean; text: string } {
  const date = (ms: number) => new Date(ms).toISOString();
  if (now < validFrom) return { isDue: true, text: `not valid before ${date(validFrom)}` };
  if (now >= validTo) return { isDue: true, text: `expired at ${date(validTo)}` };
  const leftMs = validTo - now;
  const isDue = leftMs < shareLeftMin * (validTo - validFrom);
  return { isDue, text: `expires in ${roughly(leftMs)}, at ${date(validTo)}` };
}

function roughly(durationMs: number): string {
  const hours = Math.floor(durationMs / hourMs);
  if (hours < 1) return "less than an hour";
  if (hours === 1) return "1 hour";
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
