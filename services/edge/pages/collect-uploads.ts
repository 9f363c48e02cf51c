import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { badRequest } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { chunkMemory, mediaTypeOf, tooManyReceived } from "../http/receive-body.ts";
import type { UploadedFile } from "../http/uploaded-file.ts";
import { SharedBudget } from "../limits/shared-budget.ts";

/** Maximum size of a form with a file, in bytes. */
export const uploadBytesMax = 11 * 1_024 * 1_024;

const uploadType = "multipart/form-data";
const nameCharactersMax = 255;
// The fields are tokens and names, so they are few and short.
const limits = { fieldNameSize: 100, fieldSize: 4_096, fields: 20, files: 1, parts: 25, headerPairs: 20 };

/** Returns whether a request sends a form with a file to a page below `root`. */
export function isUpload(request: IncomingMessage, root: string): boolean {
  return request.method === "POST" && mediaTypeOf(request) === uploadType && request.url?.startsWith(root) === true;
}

/**
 * Receives forms with a file (`multipart/form-data`, RFC 7578) for the pages below `root`: `state.form` contains the
 * fields that precede the file, and `state.upload` the file. Until a handler reads the file, only a small part of it is
 * buffered; a file that no handler reads is discarded once the response is closed. Must run before any middleware that
 * waits.
 */
export function collectUploads(root: string): EdgeMiddleware {
  return (ctx, next) => {
    if (!isUpload(ctx.req, root)) return next();
    const received = receive(ctx.req);
    ctx.state.form = received.then(({ fields }) => fields);
    ctx.state.upload = received.then(({ file }) => file);
    // Prevents unhandled rejections if no handler uses the promises. A handler that awaits them still gets the error.
    ctx.state.form.catch(() => undefined);
    ctx.state.upload.catch(() => undefined);
    ctx.res.once("close", () => received.then(({ discard }) => discard()).catch(() => undefined));
    return next();
  };
}

interface Received {
  readonly fields: URLSearchParams;
  readonly file: UploadedFile;
  discard(): void;
}

function receive(request: IncomingMessage): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { "content-type": type = "", "content-length": length } = request.headers;
    const formBytes = length === undefined ? undefined : Number(length);
    const fields = new URLSearchParams();
    let content: Readable | undefined;
    const refuse = (error: Error) => {
      reject(error);
      content?.destroy(error);
      request.unpipe();
      request.resume();
    };
    const invalid = () => refuse(badRequest("form", "is not valid multipart/form-data"));
    let parser: BusboyInstance;
    try {
      parser = new Busboy({ headers: { "content-type": type }, limits });
    } catch {
      invalid();
      return;
    }
    parser.on("field", (name, value) => fields.append(name, value));
    // Contrary to the library's types, the name is undefined if the client sent none.
    parser.on("file", (_field, stream, name: string | undefined) => {
      content = stream;
      // Without a listener, an error of the stream would be an uncaught exception. A page handler that reads the file
      // still gets the error from the iterator.
      stream.on("error", () => undefined);
      // Bypasses the file's stream: a handler that stopped reading early has destroyed the stream.
      const discard = () => {
        request.unpipe(parser);
        request.resume();
      };
      resolve({ fields, file: { name: plainName(name ?? ""), formBytes, content: stream }, discard });
    });
    parser.on("finish", () =>
      resolve({ fields, file: { name: "", content: Readable.from([]) }, discard: () => undefined }),
    );
    parser.on("error", invalid);
    // Parsing 11 MiB of further parts would take two seconds of processor time.
    parser.on("partsLimit", invalid);
    parser.on("fieldsLimit", invalid);
    request.once("close", () => {
      if (!request.complete) refuse(badRequest("form", "was not received in full; send it again"));
    });
    request.pipe(parser);
  });
}

function plainName(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, "")
    .slice(0, nameCharactersMax)
    .toWellFormed();
}

// Bounds on the memory for files that are being received or handled.
const bufferedBytesMax = { all: 32 * 1_024 * 1_024, origin: 10 * 1_024 * 1_024 } as const;
const buffered = new SharedBudget();

/**
 * Passes the content of a file to a function; undefined if the file has more than `bytesMax` bytes. Counts the content
 * against memory limits until the function has finished.
 *
 * @param origin the store that sends the file; each has its own limit
 * @throws ServiceError `bad_request` if the form is invalid or incomplete, `unavailable` if a memory limit is reached
 */
export async function withUpload<T>(
  file: UploadedFile,
  bytesMax: number,
  origin: string,
  use: (content: Buffer | undefined) => Promise<T>,
): Promise<T> {
  using room = buffered.roomIn([
    { key: "all", max: bufferedBytesMax.all },
    { key: `origin ${origin}`, max: bufferedBytesMax.origin },
  ]);
  const chunks: Uint8Array[] = [];
  const memoryOf = chunkMemory();
  let length = 0;
  for await (const chunk of file.content) {
    if (length + chunk.length > bytesMax) return await use(undefined);
    if (!room.take(memoryOf(chunk))) throw tooManyReceived("files");
    length += chunk.length;
    chunks.push(chunk);
  }
  return await use(Buffer.concat(chunks));
}
