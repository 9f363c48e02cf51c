// Serves the stored documents with Feathers, using its Koa and MongoDB adapters.
import { connections, port, requirePeer, uri } from "./peer-setup.mjs";

const { feathers } = requirePeer("@feathersjs/feathers");
const { koa, rest, errorHandler, parseAuthentication, bodyParser } = requirePeer("@feathersjs/koa");
const { MongoDBService } = requirePeer("@feathersjs/mongodb");
const { MongoClient } = requirePeer("mongodb");

const client = await new MongoClient(uri, { maxPoolSize: connections }).connect();
const Model = client.db().collection("certificates");

const app = koa(feathers());
app.use(errorHandler());
app.use(parseAuthentication());
app.use(bodyParser());
app.configure(rest());
app.use("certificates", new MongoDBService({ Model, disableObjectify: true }));
await app.listen(port, "127.0.0.1");
