import { connect as connectTcp, isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { connectTls } from "./connect-tls.ts";
import { stopAfterTest } from "./deliver-fixture.ts";
import { startTlsServer } from "./tls-server-fixture.ts";

/** Connects to a server whose certificate has the given names and addresses. @returns `open`, or the error's code */
async function handshake(host: string, hostnames: readonly string[], addresses: readonly string[]) {
  const certificate = await makeServerCertificate({ hostnames, addresses });
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
  expect(await handshake(host, hostnames, addresses)).toBe("open");
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
  expect(await handshake(host, hostnames, addresses)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
});
