import { connect as connectTcp, isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import {
  makeServerCertificate,
  type ServerCertificateOptions,
} from "../../../deploy/local/certificates/self-signed.ts";
import { connectTls } from "./connect-tls.ts";
import { stopAfterTest } from "./deliver-fixture.ts";
import { startTlsServer } from "./tls-server-fixture.ts";

/** Connects to a server whose certificate has the given names. @returns `open`, `closed` or the error's code */
async function handshake(host: string, names: ServerCertificateOptions) {
  const certificate = await makeServerCertificate(names);
  const server = stopAfterTest(await startTlsServer(certificate, () => undefined));
  return new Promise<string>((resolve) => {
    const socket = connectTls({
      socket: connectTcp(server.port, "127.0.0.1"),
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      secureContext: createSecureContext({ ca: certificate.caPem }),
      // connectTls must override this option.
      rejectUnauthorized: false,
    });
    socket.once("secureConnect", () => resolve("open"));
    socket.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
    socket.once("close", () => resolve("closed"));
    onTestFinished(() => void socket.destroy());
  });
}

test.each<[host: string, hostnames: string[], addresses: string[]]>([
  ["shop.example.test", ["shop.example.test"], []],
  ["shop.example.test", ["other.example.test", "SHOP.example.test"], []],
  ["shop.example.test", ["*.example.test"], []],
  ["xn--bcher-kva.example.test", ["xn--bcher-kva.example.test"], []],
  ["127.0.0.1", ["shop.example.test"], ["127.0.0.1"]],
  ["::1", [], ["127.0.0.1", "::1"]],
  ["0:0:0:0:0:0:0:1", [], ["::1"]],
])("for %s, accepts a certificate with the names %j and addresses %j", async (host, hostnames, addresses) => {
  expect(await handshake(host, { hostnames, addresses })).toBe("open");
});

test.each<[host: string, hostnames: string[], addresses: string[]]>([
  ["shop.example.test", ["other.example.test"], []],
  ["shop.example.test", ["example.test"], []],
  ["shop.example.test", ["a.shop.example.test"], []],
  ["shop.example.test", ["*.test"], []],
  ["a.shop.example.test", ["*.example.test"], []],
  ["example.test", ["*.example.test"], []],
  ["shop.example.test", ["s*.example.test"], []],
  ["shop.example.test", ["*"], []],
  ["shop.example.test", ["127.0.0.1"], ["127.0.0.1"]],
  ["127.0.0.1", ["127.0.0.1"], []],
  ["127.0.0.1", ["*.0.0.1"], ["127.0.0.2"]],
  ["::1", ["::1"], ["127.0.0.1"]],
])("for %s, rejects a certificate with the names %j and addresses %j", async (host, hostnames, addresses) => {
  expect(await handshake(host, { hostnames, addresses })).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
});

const email = { type: "email", value: "shop@shop.example.test" } as const;
const uri = { type: "url", value: "https://shop.example.test/" } as const;

// RFC 9525 §2 and §6.3: only subjectAltName identifies a server.
test.each<[form: string, host: string, names: ServerCertificateOptions]>([
  ["only a common name", "shop.example.test", { commonName: "shop.example.test", alternativeNames: undefined }],
  ["a common name with a wildcard", "shop.example.test", { commonName: "*.example.test", alternativeNames: undefined }],
  ["a common name and an empty subjectAltName", "shop.example.test", { alternativeNames: [] }],
  ["a common name and an e-mail address", "shop.example.test", { alternativeNames: [email] }],
  ["a common name and a URI", "shop.example.test", { alternativeNames: [uri] }],
  ["a common name and another IP address", "shop.example.test", { hostnames: [], addresses: ["127.0.0.1"] }],
  ["an IP address as the common name", "127.0.0.1", { commonName: "127.0.0.1", alternativeNames: undefined }],
  ["an IP address as the common name and an e-mail address", "127.0.0.1", { alternativeNames: [email] }],
])("rejects a certificate with %s", async (_form, host, names) => {
  expect(await handshake(host, { commonName: host, ...names })).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
});
