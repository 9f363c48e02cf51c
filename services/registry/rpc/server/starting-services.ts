import type { DescService, Message } from "@bufbuild/protobuf";
import type {
  Server,
  ServerDuplexStream,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { statusOf } from "./call-context.ts";
import { methodDefinition } from "./grpc-server.ts";

/** Returns the error for a call that arrives before the registry has opened its database. */
export function stillStarting(): ServiceError {
  return new ServiceError("unavailable", "The registry is starting and waiting for its database. Try again shortly.");
}

/**
 * Mounts services that answer every call with `unavailable`, so that callers keep their connections while the registry
 * waits for its database.
 *
 * @returns a function that removes these services; the caller must mount the implementations in the same turn of the
 * event loop, so that no call finds a service missing
 */
export function mountStartingServices(server: Server, services: readonly DescService[]): () => void {
  const mounted = services.map((service) => {
    const definition = definitionOf(service);
    server.addService(definition, unavailable(service));
    return definition;
  });
  return () => {
    for (const definition of mounted) server.removeService(definition);
  };
}

function definitionOf({ methods }: DescService): ServiceDefinition {
  return Object.fromEntries(methods.map((method) => [method.name, methodDefinition(method)]));
}

function unavailable({ methods }: DescService): UntypedServiceImplementation {
  const status = () => statusOf(toConnectError(stillStarting()));
  const unary = (_call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) => callback(status());
  const bidi = (call: ServerDuplexStream<Message, Message>) => call.emit("error", status());
  return Object.fromEntries(methods.map(({ name, methodKind }) => [name, methodKind === "unary" ? unary : bidi]));
}
