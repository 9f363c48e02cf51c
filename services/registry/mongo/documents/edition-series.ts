/** The numbering of an edition that does not belong to a catalogue product. */
export interface EditionSeriesDocument {
  /** See {@link seriesKey}. */
  readonly _id: string;
  /** The highest number assigned. */
  readonly issued: number;
}

/** Returns the id of an {@link EditionSeriesDocument}. Unambiguous because store ids contain no slash. */
export function seriesKey(storeId: string, series: string): string {
  return `${storeId}/${series}`;
}

/** Returns the edition's name from a document id made by {@link seriesKey}. */
export function seriesNameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
