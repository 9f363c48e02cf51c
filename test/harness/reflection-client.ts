import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { Client, credentials } from "@grpc/grpc-js";
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
    const [response] = fieldsOf(await withTimeout("reflection", 10_000, answer), listServicesResponseField);
    const services = response === undefined ? [] : fieldsOf(response, serviceField);
    return services
      .flatMap((service) => fieldsOf(service, nameField))
      .map((name) => Buffer.from(name).toString("utf8"));
  } finally {
    client.close();
  }
}

/** Returns the values of a length-delimited field of a message. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const values: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === wanted) values.push(reader.bytes());
    else reader.skip(wireType);
  }
  return values;
}
