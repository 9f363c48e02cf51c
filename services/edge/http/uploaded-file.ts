/** A file in a form that is being received. */
export interface UploadedFile {
  /**
   * The file name that the browser sent, without folders or control characters, cut to 255 characters; untrusted.
   * The empty string if no file was chosen.
   */
  readonly name: string;
  /** Size of the whole form in bytes, including this file; undefined if the browser did not send it. */
  readonly formBytes?: number | undefined;
  /** The content, with backpressure: a browser cannot send faster than the handler reads. */
  readonly content: AsyncIterable<Uint8Array>;
}
