import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";

/**
 * Adds server reflection (grpc.reflection.v1 and v1alpha) for tools such as grpcurl, from the generated descriptors.
 */
export function addReflection(server: Server, services: readonly DescService[]): void {
  const files = new Map<string, Buffer>();
  for (const service of services) collectFiles(service.file, files);
  // The library reads only `fileDescriptorProtos`; its types require the other members.
  const schema = {
    format: "Protocol Buffer 3 EnumDescriptorProto" as const,
    type: {},
    fileDescriptorProtos: [...files.values()],
  };
  new ReflectionService({ schema }).addToServer(server);
}

function collectFiles(file: DescFile, into: Map<string, Buffer>): void {
  if (into.has(file.proto.name)) return;
  for (const dependency of file.dependencies) collectFiles(dependency, into);
  into.set(file.proto.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
}
