import { createServer, type Server } from "node:http";
import { createContextValues, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { authenticatedActor } from "./actor.ts";
import type { OfferedService } from "./offered-service.ts";
import { authenticate, type Operators } from "./operators.ts";

const maxBodyBytes = 4 * 1024 * 1024;

/**
 * Creates the server of the operator API, which offers services over HTTP/JSON (Connect), gRPC-Web and gRPC to scripts
 * and app back ends, for example `POST /registry.v1.LifecycleService/RevokeCertificate` with a JSON body and a token.
 * Do not expose it to public networks.
 */
export function createHttpApi(services: readonly OfferedService[], operators: Operators): Server {
  const offered = services.filter(({ right }) => right !== null);
  const rightOf = new Map(offered.map(({ service, right }) => [service.typeName, right]));
  const interceptor: Interceptor = (next) => async (request) => {
    try {
      const right = rightOf.get(request.service.typeName);
      if (!right) throw new Error(`${request.service.typeName} is not offered over HTTP`);
      const actor = authenticate(operators, request.header.get("authorization"), right);
      request.contextValues.set(authenticatedActor, actor);
      return await next(request);
    } catch (error) {
      throw toConnectError(error);
    }
  };
  return createServer(
    connectNodeAdapter({
      routes: (router) => {
        for (const service of offered) service.mountOnHttp(router);
      },
      contextValues: () => createContextValues(),
      interceptors: [interceptor],
      // A misspelled field must not be treated as omitted.
      jsonOptions: { ignoreUnknownFields: false },
      readMaxBytes: maxBodyBytes,
    }),
  );
}
