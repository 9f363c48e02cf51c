import { Code, ConnectError } from "@connectrpc/connect";

// The status text of grpc-js for a call that was never assigned to a connection. It has no field that states this.
const noConnection = /^No connection established/;

/** Returns whether a call certainly failed before it was sent, so that it had no effect. */
export function didNotReachRegistry(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unavailable && noConnection.test(error.rawMessage);
}
