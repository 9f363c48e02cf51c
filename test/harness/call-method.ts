import { type ChannelOptions, Client, Metadata, type ServiceError, type StatusObject, status } from "@grpc/grpc-js";
import { type ChannelSecurity, plaintext } from "../../services/shared/rpc/grpc-tls.ts";

const asIs = (bytes: Buffer) => bytes;

/**
 * Calls a gRPC method, unary or streaming, with one empty message.
 *
 * @param method `package.Service/Method`
 * @param security default: no TLS
 * @param headers metadata of the call; default: none
 * @returns the name of the status, such as `PERMISSION_DENIED`, or `accepted` if the server has started to respond
 */
export async function callMethod(
  address: string,
  method: string,
  security = plaintext,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const client = clientFor(address, security);
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  try {
    return await new Promise((resolve) => {
      const deadline = Date.now() + 10_000;
      const call = client.makeBidiStreamRequest(`/${method}`, asIs, asIs, metadata, { deadline });
      call.on("metadata", () => {
        resolve("accepted");
        call.cancel();
      });
      call.on("data", () => undefined);
      call.on("error", (_error: ServiceError) => undefined);
      call.on("status", ({ code }: StatusObject) => resolve(status[code] ?? String(code)));
      call.write(Buffer.alloc(0));
      call.end();
    });
  } finally {
    client.close();
  }
}

function clientFor(address: string, { credentials, options }: ChannelSecurity): Client {
  // A separate connection, because pooled connections would outlive the test.
  const own: ChannelOptions = { ...options, "grpc.use_local_subchannel_pool": 1 };
  return new Client(address, credentials, own);
}
