/** `max_payload` of a NATS server with default settings. */
const defaultMaxPayload = 1_048_576;
// Headers count towards `max_payload`. The headers of an event, including `traceparent`, take about 170 bytes.
const headersMax = 256;

/** Returns the maximum size of an event, in bytes. @param maxPayload the server's `max_payload`; default: 1 MiB */
export function maxEventBytes(maxPayload = defaultMaxPayload): number {
  return maxPayload - headersMax;
}
