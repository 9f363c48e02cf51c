// The registry's own functions, for tests of other services that need a gRPC server.
export { closeGrpc, listenGrpc } from "../../services/registry/rpc/server/listen.ts";
