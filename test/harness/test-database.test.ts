import { expect, test } from "vitest";
import { withDatabase } from "./test-database.ts";

test.each([
  ["mongodb://127.0.0.1:5000", "mongodb://127.0.0.1:5000/t"],
  ["mongodb://127.0.0.1:5000/", "mongodb://127.0.0.1:5000/t"],
  ["mongodb://127.0.0.1:5000/?directConnection=true", "mongodb://127.0.0.1:5000/t?directConnection=true"],
  ["mongodb://a:1,b:2/other?replicaSet=rs", "mongodb://a:1,b:2/t?replicaSet=rs"],
  ["mongodb+srv://cluster.example.test/", "mongodb+srv://cluster.example.test/t"],
  ["mongodb://u:p@a:1/", "mongodb://u:p@a:1/t?authSource=admin"],
  ["mongodb://u:p@a:1/users?w=1", "mongodb://u:p@a:1/t?w=1&authSource=users"],
  ["mongodb://u:p@a:1/?authSource=x", "mongodb://u:p@a:1/t?authSource=x"],
])("withDatabase changes %s to %s", (serverUrl, uri) => {
  expect(withDatabase(serverUrl, "t")).toBe(uri);
});

test("withDatabase rejects a URL that is not a MongoDB connection string", () => {
  expect(() => withDatabase("http://a/", "t")).toThrow("not a MongoDB connection string");
});
