import { Code, ConnectError } from "@connectrpc/connect";
import type { Server, ServerDuplexStream } from "@grpc/grpc-js";
import { ListExchangeService } from "#gen/registry/v1/list_exchange_service_pb.js";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import type { ListRequestDeps } from "../../list-requests/handle-list-request.ts";
import type { OfferedService } from "../offered-service.ts";
import { headerReader, statusOf } from "../server/call-context.ts";
import type { GrpcMount } from "../server/grpc-server.ts";
import { joinReply, type Reply } from "./exchange-replies.ts";
import { ExchangeStream } from "./exchange-stream.ts";

interface ListExchangeDeps extends ListRequestDeps {
  /** Maximum number of requests in progress on one stream. Default 4,000. */
  readonly requestsMax?: number | undefined;
}

// Twice the default of EDGE_LISTS_MAX, the maximum that one edge sends.
const requestsMaxByDefault = 4_000;

/**
 * Serves the streams on which edges send list requests: registry.v1.ListExchangeService over grpc-js. Connect is not
 * used, because its iterators cost more than the request itself. Each request is reported to the observer like a
 * separate call.
 */
export class ListExchange implements OfferedService {
  readonly service = ListExchangeService;
  readonly #deps: ListExchangeDeps;
  readonly #streams = new Set<ExchangeStream>();
  #isDraining = false;

  constructor(deps: ListExchangeDeps) {
    this.#deps = deps;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  mountOnGrpc(server: Pick<Server, "addService">, mount: GrpcMount): void {
    const asIs = (bytes: Buffer) => bytes;
    // The stream decodes the messages, so that it can reject a malformed one as an invalid argument.
    const definition = {
      path: `/${methodName(ListExchangeService.method.exchange)}`,
      requestStream: true,
      responseStream: true,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: joinReply,
      responseDeserialize: asIs,
    };
    server.addService(
      { exchange: definition },
      { exchange: (call: ServerDuplexStream<Buffer, Reply>) => this.#open(call, mount) },
    );
  }

  mountOnHttp(): void {
    // The operator API offers unary methods only.
  }

  /**
   * Asks all edges to use other replicas, and refuses new streams. An open stream ends once its edge has closed its
   * side and all replies have been sent.
   */
  drain(): void {
    this.#isDraining = true;
    for (const stream of this.#streams) stream.drain();
  }

  #open(call: ServerDuplexStream<Buffer, Reply>, { observe, scopes, peersOfCall }: GrpcMount): void {
    try {
      const { exchange: method } = ListExchangeService.method;
      scopes.check({ method, header: headerReader(call), caller: { peers: peersOfCall(call) } });
    } catch (error) {
      call.emit("error", statusOf(toConnectError(error)));
      return;
    }
    if (this.#isDraining) {
      call.emit("error", statusOf(new ConnectError("the registry is stopping", Code.Unavailable)));
      return;
    }
    const stream: ExchangeStream = new ExchangeStream(call, {
      deps: this.#deps,
      requestsMax: this.#deps.requestsMax ?? requestsMaxByDefault,
      observe,
      onEnd: () => this.#streams.delete(stream),
    });
    this.#streams.add(stream);
  }
}
