/** The load of an open stream. */
export interface StreamLoad {
  /** Requests without a reply. */
  readonly outstanding: number;
  /** Whether a request timed out and nothing has arrived since it was sent: the replica may be frozen. */
  readonly isSilent: boolean;
  /** Whether the registry's name no longer resolves to the replica's address. */
  readonly isLeaving: boolean;
}

/**
 * Chooses the stream for a request. Prefers a stream that is not leaving, then a stream that is not silent, then the
 * stream with the fewest outstanding requests. Streams with equal loads take turns.
 *
 * @param turn increases with every request
 * @returns undefined if there is no stream
 */
export function chooseStream<S extends StreamLoad>(streams: readonly S[], turn: number): S | undefined {
  let best: S | undefined;
  for (let offset = 0; offset < streams.length; offset++) {
    const stream = streams[(turn + offset) % streams.length];
    if (stream !== undefined && (best === undefined || isBetter(stream, best))) best = stream;
  }
  return best;
}

function isBetter(one: StreamLoad, other: StreamLoad): boolean {
  if (one.isLeaving !== other.isLeaving) return other.isLeaving;
  if (one.isSilent !== other.isSilent) return other.isSilent;
  return one.outstanding < other.outstanding;
}
