/** A file that a form contains, while it arrives. */
export interface UploadedFile {
  /** As the browser sent it, without folders and control characters: any text. Empty if no file was chosen. */
  readonly name: string;
  /** The content; a browser that sends faster than it is read has to wait. */
  readonly content: AsyncIterable<Uint8Array>;
}
