// Serves the stored documents with Parse Server, from a copy in which the time fields have the names that Parse Server
// requires.
import { port, requirePeer, uri } from "./peer-setup.mjs";

const express = requirePeer("express");
const { ParseServer } = requirePeer("parse-server");
const { MongoClient } = requirePeer("mongodb");

const databaseUri = new URL(uri);
databaseUri.pathname = "/peer_parse_server";
const keys = { appId: "bench", masterKey: "bench", restAPIKey: "bench" };

const client = await new MongoClient(uri).connect();
const documents = await client.db().collection("certificates").find().toArray();
const copies = client.db("peer_parse_server").collection("certificates");
await copies.drop().catch(() => undefined);
await copies.insertMany(
  documents.map(({ updatedAt, issuedAt, ...fields }) => ({ ...fields, _updated_at: updatedAt, _created_at: issuedAt })),
);
await copies.createIndex({ store: 1, _updated_at: 1 });
await client.close();

const type = (name) => ({ type: name });
const objects = ["product", "order", "owner", "originalBuyer", "edition"].map((name) => [name, type("Object")]);
const texts = ["store", "status", "ownerEmailKey", "issueKey", "revokedReason"].map((name) => [name, type("String")]);
const times = ["expiresAt", "revokedAt", "verifiedAt"].map((name) => [name, type("Date")]);
const fields = { serial: type("Number"), ...Object.fromEntries([...objects, ...texts, ...times]) };
const classLevelPermissions = { find: { "*": true }, get: { "*": true }, count: { "*": true } };

const server = new ParseServer({
  ...keys,
  databaseURI: databaseUri.href,
  serverURL: `http://127.0.0.1:${port}`,
  schema: { definitions: [{ className: "certificates", fields, classLevelPermissions }] },
  allowClientClassCreation: false,
  silent: true,
});
await server.start();
await new Promise((resolve) => express().use(server.app).listen(port, "127.0.0.1", resolve));
