import { addAbortListener } from "node:events";
import {
  type DescMessage,
  type DescMethodStreaming,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { StreamRequest, StreamResponse } from "@connectrpc/connect";
import type { Client, ClientDuplexStream } from "@grpc/grpc-js";
import { connectErrorOf } from "./grpc-failure.ts";
import { metadataOf } from "./metadata.ts";

/**
 * Makes a bidirectional streaming call over a grpc-js channel. Requests are read only as fast as the server accepts
 * them.
 */
export function callBidi<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: DescMethodStreaming<I, O>,
  request: StreamRequest<I, O>,
): StreamResponse<I, O> {
  const call: ClientDuplexStream<MessageShape<I>, MessageShape<O>> = client.makeBidiStreamRequest(
    `/${method.parent.typeName}/${method.name}`,
    (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
    (bytes: Buffer) => fromBinary(method.output, bytes),
    metadataOf(request.header),
  );
  const abortListener = addAbortListener(request.signal, () => call.cancel());
  const sending = send(call, request.message);
  return {
    stream: true,
    service: method.parent,
    method,
    header: new Headers(),
    trailer: new Headers(),
    message: receive(call, sending, abortListener),
  };
}

async function send<I, O>(call: ClientDuplexStream<I, O>, messages: AsyncIterable<I>): Promise<void> {
  try {
    for await (const message of messages) {
      if (call.destroyed) return;
      if (!call.write(message)) await drained(call);
    }
    call.end();
  } catch (error) {
    // The request source failed, so the call cannot complete.
    call.cancel();
    throw error;
  }
}

function drained(call: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ["drain", "close", "error"]) call.removeListener(event, done);
      resolve();
    };
    for (const event of ["drain", "close", "error"]) call.once(event, done);
  });
}

async function* receive<T>(
  responses: AsyncIterable<T>,
  sending: Promise<void>,
  abortListener: Disposable,
): AsyncGenerator<T> {
  using _listener = abortListener;
  // An error of the request source is thrown after the responses; until then it must not be reported as an unhandled
  // rejection.
  sending.catch(() => undefined);
  try {
    yield* responses;
    await sending;
  } catch (error) {
    await Promise.race([sending, Promise.resolve()]);
    throw connectErrorOf(error);
  }
}
