import { decodeBinaryHeader, encodeBinaryHeader } from "@connectrpc/connect";
import { Metadata } from "@grpc/grpc-js";

/** Copies HTTP headers into gRPC metadata. Values of `-bin` keys are Base64 in headers and bytes in metadata. */
export function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of headers) {
    metadata.add(name, name.endsWith("-bin") ? Buffer.from(decodeBinaryHeader(value)) : value);
  }
  return metadata;
}

/** Copies gRPC metadata into HTTP headers. Encodes the values of `-bin` keys, which are bytes, as Base64. */
export function headersOf(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const name of Object.keys(metadata.getMap())) {
    for (const value of metadata.get(name)) {
      headers.append(name, typeof value === "string" ? value : encodeBinaryHeader(new Uint8Array(value)));
    }
  }
  return headers;
}
