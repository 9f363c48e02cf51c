import { notEncoded, queryTooLong } from "./query-refusals.ts";

/** What Node's HTTP server reports when it cannot make a request of what it received. */
export interface ClientError extends Error {
  readonly code?: string;
  /** The bytes of the chunk at which parsing stopped. */
  readonly rawPacket?: Buffer;
  /** Where in it parsing stopped. */
  readonly bytesParsed?: number;
}

/** The reply to a request that could not be read; its error code is always `bad_request`. */
export interface UnreadableRequestReply {
  readonly status: 400 | 408 | 431;
  readonly message: string;
}

/**
 * Decides how to answer what could not be read as a request.
 *
 * @returns undefined when nobody is left to answer: the connection was lost
 */
export function answerClientError(error: ClientError): UnreadableRequestReply | undefined {
  switch (error.code) {
    case "ECONNRESET":
    case "EPIPE":
      return undefined;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "The request did not arrive in time. Send it again." };
    case "HPE_HEADER_OVERFLOW":
      return isStillRequestLine(error.rawPacket)
        ? { status: 400, message: queryTooLong().message }
        : {
            status: 431,
            message: "The request's headers are larger than 16 KiB together. Send fewer or shorter ones.",
          };
    case "HPE_INVALID_URL":
    case "HPE_INVALID_CONSTANT":
      return { status: 400, message: unencodedParameter(error) ?? notHttp };
    default:
      return { status: 400, message: notHttp };
  }
}

/**
 * Whether what could not be read is a HEAD, whose reply has no body (RFC 9110 §9.3.2). Node does not say which method it
 * read, so it is known only as long as the request's beginning is among the bytes at hand: of one that came in many pieces it
 * is not, and the reply has a body, after which the connection ends.
 */
export function isAboutHead({ rawPacket, bytesParsed }: ClientError): boolean {
  if (rawPacket === undefined || bytesParsed === undefined) return false;
  const read = rawPacket.toString("latin1", 0, bytesParsed);
  return read.startsWith("HEAD ") && !read.includes("\r\n\r\n");
}

const notHttp = "The request is not valid HTTP/1.1. Check the client that sends it.";

// A raw space (after it, the parser expects the constant "HTTP/"), a raw control character or a raw byte above 0x7E.
function unencodedParameter({ rawPacket, bytesParsed }: ClientError): string | undefined {
  const read = rawPacket?.toString("latin1", 0, bytesParsed);
  const name = /[?&]([a-z_]{1,32})=[^&\s]* ?$/i.exec(read ?? "")?.[1];
  return name === undefined ? undefined : notEncoded(name).message;
}

// Node counts the request line and the headers against one limit and does not say which of them went over it: as long
// as no line has ended, it is the request line, and all that can be long in that is the query.
function isStillRequestLine(packet: Buffer | undefined): boolean {
  return packet !== undefined && !packet.includes("\n");
}
