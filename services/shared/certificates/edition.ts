/** A certificate's position in a numbered edition (INTERFACE.md §2.3). */
export interface EditionNumber {
  /** Position in the edition, from 1. */
  readonly number: number;
  /** Size of the edition when the certificate was issued. */
  readonly total: number;
}

/** The styles in which a store can show edition numbers (INTERFACE.md §2.3). */
export const editionStyles = ["number_total", "zero_padded", "no_of", "number"] as const;

/** The style in which a store shows edition numbers. */
export type EditionStyle = (typeof editionStyles)[number];

const formats: Readonly<Record<EditionStyle, (edition: EditionNumber) => string>> = {
  number_total: ({ number, total }) => `${number}/${total}`,
  zero_padded: ({ number, total }) => `${String(number).padStart(String(total).length, "0")}/${total}`,
  no_of: ({ number, total }) => `No. ${number} of ${total}`,
  number: ({ number, total }) => `${number} of ${total}`,
};

/**
 * Formats an edition number in a store's style: `7/50`, `07/50`, `No. 7 of 50` or `7 of 50`. Every style shows the
 * number and the size of the edition.
 */
export function formatEdition(edition: EditionNumber, style: EditionStyle): string {
  return formats[style](edition);
}
