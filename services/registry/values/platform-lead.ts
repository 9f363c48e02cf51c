/**
 * How far the clock of a storefront platform may be ahead of the registry's, in milliseconds. Times that the platform
 * reports are believed up to this lead; later ones are forged or wrong.
 */
export const platformLeadMaxMs = 10_000;
