import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { Client, credentials } from "@grpc/grpc-js";
import { messages } from "./proto-fields.ts";
import { withTimeout } from "./with-timeout.ts";

// Field numbers of grpc.reflection.v1 for listing services.
const listServicesField = 7;
const listServicesResponseField = 6;
const serviceField = 1;
const nameField = 1;

const request = Buffer.from(new BinaryWriter().tag(listServicesField, 2).string("*").finish());

/** Lists the services that a gRPC server reports through server reflection. */
export async function reflectedServices(address: string, version: "v1" | "v1alpha" = "v1"): Promise<string[]> {
  const client = new Client(address, credentials.createInsecure());
  try {
    const answer = new Promise<Buffer>((resolve, reject) => {
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      const same = (bytes: Buffer) => bytes;
      const call = client.makeBidiStreamRequest(path, same, same);
      call.on("data", (bytes: Buffer) => {
        resolve(bytes);
        call.end();
      });
      call.on("error", reject);
      call.write(request);
    });
    const [response] = messages(await withTimeout("reflection", 10_000, answer), listServicesResponseField);
    const services = response === undefined ? [] : messages(response, serviceField);
    return services
      .flatMap((service) => messages(service, nameField))
      .map((name) => Buffer.from(name).toString("utf8"));
  } finally {
    client.close();
  }
}
