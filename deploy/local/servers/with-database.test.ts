import { expect, test } from "vitest";
import { withDatabase, withDefaultDatabase } from "./with-database.ts";

test.each([
  ["mongodb://127.0.0.1:5000", "mongodb://127.0.0.1:5000/t"],
  ["mongodb://127.0.0.1:5000/", "mongodb://127.0.0.1:5000/t"],
  ["mongodb://127.0.0.1:5000/?directConnection=true", "mongodb://127.0.0.1:5000/t?directConnection=true"],
  ["mongodb://a:1,b:2/other?replicaSet=rs", "mongodb://a:1,b:2/t?replicaSet=rs"],
  ["mongodb+srv://cluster.example.test/", "mongodb+srv://cluster.example.test/t"],
  ["mongodb://u:p@a:1/", "mongodb://u:p@a:1/t?authSource=admin"],
  ["mongodb://u:p@a:1/users?w=1", "mongodb://u:p@a:1/t?w=1&authSource=users"],
  ["mongodb+srv://u:p@cluster.example.test/", "mongodb+srv://u:p@cluster.example.test/t"],
  ["mongodb+srv://u:p@cluster.example.test/users?w=1", "mongodb+srv://u:p@cluster.example.test/t?w=1"],
  ["mongodb+srv://u:p@a.b.test/?authSource=x", "mongodb+srv://u:p@a.b.test/t?authSource=x"],
  ["mongodb://u:p@a:1/?authSource=x", "mongodb://u:p@a:1/t?authSource=x"],
])("withDatabase changes %s to %s", (serverUrl, uri) => {
  expect(withDatabase(serverUrl, "t")).toBe(uri);
});

test("withDatabase rejects a URL that is not a MongoDB connection string", () => {
  expect(() => withDatabase("http://a/", "t")).toThrow("not a MongoDB connection string");
});

test.each([
  ["mongodb://a:1,b:2,c:3/?replicaSet=rs", "mongodb://a:1,b:2,c:3/t?replicaSet=rs"],
  ["mongodb://u:p@a:1,b:2", "mongodb://u:p@a:1,b:2/t?authSource=admin"],
  ["mongodb://a:1,b:2/own?replicaSet=rs", "mongodb://a:1,b:2/own?replicaSet=rs"],
])("withDefaultDatabase changes %s to %s", (serverUrl, uri) => {
  expect(withDefaultDatabase(serverUrl, "t")).toBe(uri);
});
