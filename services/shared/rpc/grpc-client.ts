import { addAbortListener } from "node:events";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { runUnaryCall } from "@connectrpc/connect/protocol";
import { Client, type ClientUnaryCall, type Metadata } from "@grpc/grpc-js";
import { type BucketPolicy, singleBucket } from "../limits/token-bucket.ts";
import type { ClientCallObserver } from "../observe/observe-client-calls.ts";
import { steadyClock } from "../time/clock.ts";
import { activeTraceparent, inChildSpan, SpanKind } from "../trace/spans.ts";
import { balancing, channelOptions } from "./channel-options.ts";
import { toConnectError } from "./error-conversion.ts";
import { connectErrorOf, notSent } from "./grpc-failure.ts";
import { type ChannelSecurity, plaintext } from "./grpc-tls.ts";
import { headersOf, metadataOf } from "./metadata.ts";
import { methodName } from "./method-name.ts";

/** Options of {@link createGrpcClient}. */
export interface GrpcClientOptions {
  /** `host:port` or `dns:///host:port`. Calls are balanced over all addresses of the host. */
  readonly address: string;
  /** Deadline of unary calls unless the caller sets another, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
  /** Default: no TLS. */
  readonly security?: ChannelSecurity | undefined;
  /** Called at the end of each unary call. */
  readonly onCall?: ClientCallObserver | undefined;
}

/** A closable Connect transport over a grpc-js channel. */
export interface GrpcClientTransport extends Transport {
  close(): void;
}

/**
 * How many calls a client cancels: each cancelled call resets a stream, and a server that receives too many resets
 * closes the connection with all calls in progress (the defence against CVE-2023-44487). Node's HTTP/2 server does so
 * after a burst of more than 1,000 resets or at a sustained rate above 33 a second.
 */
export const resetPolicy: BucketPolicy = { capacity: 500, tokensPerSecond: 25 };

/** Creates a Connect transport for unary calls over one grpc-js channel, which connects on first use. */
export function createGrpcClient(options: GrpcClientOptions): GrpcClientTransport {
  const { security = plaintext } = options;
  const client = new Client(options.address, security.credentials, {
    ...channelOptions,
    ...balancing,
    ...security.options,
    // Otherwise, clients in one process share connections: the first call of a new client fails while the connection of
    // another one waits to be opened again.
    "grpc.use_local_subchannel_pool": 1,
  });
  const defaultTimeoutMs = options.timeoutMs ?? 5_000;
  const mayReset = singleBucket(resetPolicy, steadyClock);
  const requestOf = <M extends DescMethod>(
    method: M,
    header: ConstructorParameters<typeof Headers>[0],
    contextValues?: ContextValues,
  ) => ({
    service: method.parent,
    method,
    requestMethod: "POST",
    url: `http://${options.address}/${methodName(method)}`,
    header: new Headers(header),
    contextValues: contextValues ?? createContextValues(),
  });
  return {
    unary: (method, signal, timeoutMs, header, input, contextValues) =>
      observed(method, options.onCall, () =>
        runUnaryCall({
          timeoutMs: timeoutMs ?? defaultTimeoutMs,
          ...(signal === undefined ? {} : { signal }),
          req: { stream: false, message: input, ...requestOf(method, header, contextValues) },
          next: (request) => callUnary(client, method, request, timeoutMs ?? defaultTimeoutMs, mayReset),
        }),
      ),
    stream: ({ name }) =>
      Promise.reject(new ConnectError(`${name} streams, which is not supported`, Code.Unimplemented)),
    close: () => client.close(),
  };
}

/** Makes a call in a span of its own, and notifies the observer when the call ends. */
export function observed<T>(
  called: Pick<DescMethod, "parent" | "name">,
  onCall: ClientCallObserver | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const method = methodName(called);
  const startedAt = performance.now();
  const end = (code?: Code) => onCall?.({ method, durationMs: performance.now() - startedAt, code });
  return inChildSpan(method, { kind: SpanKind.CLIENT }, async () => {
    try {
      const response = await call();
      end();
      return response;
    } catch (error) {
      end(toConnectError(error).code);
      throw error;
    }
  });
}

async function callUnary<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: DescMethodUnary<I, O>,
  request: UnaryRequest<I, O>,
  timeoutMs: number,
  mayReset: () => boolean,
): Promise<UnaryResponse<I, O>> {
  const header = new Headers();
  const metadata = metadataOf(request.header);
  const traceparent = activeTraceparent();
  if (traceparent !== "") metadata.set("traceparent", traceparent);
  const response = Promise.withResolvers<MessageShape<O>>();
  const call = client.makeUnaryRequest(
    `/${methodName(method)}`,
    (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
    (bytes: Buffer) => fromBinary(method.output, bytes),
    request.message,
    metadata,
    // Sent to the server, so that the server can drop work whose result would come too late.
    { deadline: Date.now() + timeoutMs },
    (error, message) => {
      if (error !== null) response.reject(wasSent(client, call) ? connectErrorOf(error) : notSent(error));
      else response.resolve(message ?? create(method.output, {} as MessageInitShape<O>));
    },
  );
  call.on("metadata", (received: Metadata) => {
    for (const [name, value] of headersOf(received)) header.append(name, value);
  });
  using _listener = addAbortListener(request.signal, () => {
    if (mayReset()) call.cancel();
    // Otherwise, the server finishes the call, and its response is dropped.
    else response.reject(request.signal.reason);
  });
  const message = await response.promise;
  return { stream: false, service: method.parent, method, header, message, trailer: new Headers() };
}

// Until a call is assigned to a connection, its peer is the target that the client was created with, or unknown.
function wasSent(client: Client, call: ClientUnaryCall): boolean {
  const peer = call.getPeer();
  return peer !== "unknown" && peer !== client.getChannel().getTarget();
}
