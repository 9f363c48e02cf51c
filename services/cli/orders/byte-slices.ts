const SLICE_BYTES_MAX = 64 * 1024;

/**
 * The source's bytes in pieces of at most 64 KiB, so that a source of one large chunk is still read row by row. The
 * next piece is asked for only when the last one is done with; `onDone` then gets the bytes done with so far.
 */
export async function* byteSlices(
  source: AsyncIterable<Uint8Array>,
  onDone: (bytesDone: number) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.byteLength; from += SLICE_BYTES_MAX) {
      const slice = chunk.subarray(from, from + SLICE_BYTES_MAX);
      yield slice;
      done += slice.byteLength;
      onDone(done);
    }
  }
}
