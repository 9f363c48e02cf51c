// The registry's own functions, for other services' tests that start a gRPC server.
export { closeGrpc, listenGrpc } from "../../services/registry/rpc/server/listen.ts";
