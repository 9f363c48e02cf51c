import { notPercentEncoded, queryTooLong } from "./query-errors.ts";

/** An error that Node's HTTP server reports as `clientError`: a parse error, a timeout or a lost connection. */
export interface ClientError extends Error {
  readonly code?: string;
  /** The chunk in which parsing stopped. */
  readonly rawPacket?: Buffer;
  /** The position in the chunk at which parsing stopped. */
  readonly bytesParsed?: number;
}

/**
 * Maps a client error to the status and message of its `bad_request` response.
 *
 * @returns undefined when the connection is lost and no response can be sent
 */
export function clientErrorResponse(
  error: ClientError,
): { readonly status: 400 | 408 | 431; readonly message: string } | undefined {
  switch (error.code) {
    case "ECONNRESET":
    case "EPIPE":
      return undefined;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "The request did not arrive in time. Send it again." };
    case "HPE_HEADER_OVERFLOW":
      return isInRequestLine(error.rawPacket)
        ? { status: 400, message: queryTooLong().message }
        : {
            status: 431,
            message: "The request line and the headers exceed 16 KiB in total. Send fewer or shorter headers.",
          };
    case "HPE_INVALID_URL":
    case "HPE_INVALID_CONSTANT":
      return { status: 400, message: unencodedParameter(error) ?? notHttp };
    default:
      return { status: 400, message: notHttp };
  }
}

/**
 * Returns whether the request that could not be parsed is a HEAD request, whose response has no body (RFC 9110 §9.3.2).
 * Node does not report the method, which is known only if the current chunk contains the start of the request. A HEAD
 * request that arrives in several chunks gets a response with a body, after which the connection is closed.
 */
export function isHeadRequest({ rawPacket, bytesParsed }: ClientError): boolean {
  if (rawPacket === undefined || bytesParsed === undefined) return false;
  const parsed = rawPacket.toString("latin1", 0, bytesParsed);
  return parsed.startsWith("HEAD ") && !parsed.includes("\r\n\r\n");
}

const notHttp = "The request is not valid HTTP/1.1. Check the client that sends it.";

// Finds the parameter at which parsing stopped: it contains a raw control character, a raw byte above 0x7E or a raw
// space (after which the parser expects the constant "HTTP/").
function unencodedParameter({ rawPacket, bytesParsed }: ClientError): string | undefined {
  const parsed = rawPacket?.toString("latin1", 0, bytesParsed);
  const name = /[?&]([a-z_]{1,32})=[^&\s]* ?$/i.exec(parsed ?? "")?.[1];
  return name === undefined ? undefined : notPercentEncoded(name).message;
}

// Node applies one limit to the request line and the headers together and does not report which part is too long. A
// packet without a line break is most likely part of the request line, in which usually only the query is long.
function isInRequestLine(packet: Buffer | undefined): boolean {
  return packet !== undefined && !packet.includes("\n");
}
