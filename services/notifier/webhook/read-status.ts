/** What the received bytes amount to. */
export type StatusReading =
  | { readonly kind: "incomplete" }
  /** A final status, 200 to 999; `end` is the offset behind its line. */
  | { readonly kind: "status"; readonly status: number; readonly end: number }
  /** Not an HTTP/1 reply; `problem` is for the merchant: what happened, then what to do. */
  | { readonly kind: "invalid"; readonly problem: string };

// For interim replies and the final status line together.
const bytesMax = 16 * 1_024;

const versionPrefix = "HTTP/1.";
// A higher minor version is processed as 1.1 (RFC 9110 §2.5). A bare LF also ends a line (RFC 9112 §2.2).
const statusLine = /^HTTP\/1\.\d ([1-9]\d\d)(?: [^\r]*)?\r?$/;

const checkUrl = "Check that the webhook URL points to a web server.";
const notHttp = `The receiver's reply is not HTTP/1.1. ${checkUrl}`;
const invalidStatusLine = `The status line of the receiver's reply is invalid. ${checkUrl}`;
const tooLong = `The receiver sent ${bytesMax / 1_024} KiB without a final status. ${checkUrl}`;
const switched = "The receiver switched to another protocol (status 101). Reply with a final status instead.";

/**
 * Reads a reply up to the end of its final status line, which alone decides the outcome (INTERFACE.md §6, rule 1), and
 * skips 1xx replies. Everything after that line may be late, endless or malformed; Node's HTTP parser is not used because
 * it reports a status only after complete and valid headers.
 *
 * @param received all bytes received so far, as latin1; the result is final unless `incomplete`
 */
export function readStatus(received: string): StatusReading {
  const text = received.slice(0, bytesMax);
  let isInterimHead = false;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    const line = text.slice(start, end);
    start = end + 1;
    if (isInterimHead) {
      isInterimHead = line !== "" && line !== "\r";
      continue;
    }
    if (!line.startsWith(versionPrefix)) return invalid(notHttp);
    const status = Number(statusLine.exec(line)?.[1]);
    if (Number.isNaN(status)) return invalid(invalidStatusLine);
    if (status >= 200) return { kind: "status", status, end: start };
    // Ends HTTP on this connection, although no request asks for it (RFC 9110 §15.2.2).
    if (status === 101) return invalid(switched);
    isInterimHead = true;
  }
  const isPossiblyHttp = versionPrefix.startsWith(text.slice(start, start + versionPrefix.length));
  if (!isInterimHead && !isPossiblyHttp) return invalid(notHttp);
  return text.length < bytesMax ? { kind: "incomplete" } : invalid(tooLong);
}

function invalid(problem: string): StatusReading {
  return { kind: "invalid", problem };
}
