import { Code, ConnectError } from "@connectrpc/connect";

// Status texts of grpc-js for a call that was never assigned to a connection; grpc-js has no field for this case.
const neverSent = /No connection established|Name resolution failed/;

/** Returns whether a call certainly failed before it was sent, so that it had no effect. */
export function didNotReachRegistry(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unavailable && neverSent.test(error.rawMessage);
}
