#!/usr/bin/env bash
# Starts a MongoDB replica set of three members, mongodb-1 to mongodb-3, in containers on this machine's network, for the
# public CI. Access control is on; the key file and the passwords are made here and stored nowhere else.
#
# Appends to the file that GITHUB_ENV names:
#   ADMIN_URI     a user with the role root
#   CHECK_URI     a user with exactly the roles of deploy/operations/mongodb.md on the database registry_check
#   STEP_DOWN_URI the same, and the action replSetStateChange on the cluster
#   FEED_URI      a user with exactly the roles of deploy/operations/mongodb.md on the database registry_feed
#
# Usage: start-members.sh <tag of the image mongo>
set -euo pipefail

image="mongo:${1:?name the tag of the image, such as 8.0}"
output="${GITHUB_ENV:?names the file for the connection strings}"
ports=(27017 27018 27019)
seeds="127.0.0.1:27017,127.0.0.1:27018,127.0.0.1:27019"

keys="$(mktemp -d)"
openssl rand -base64 756 >"$keys/keyfile"
# mongod refuses a key file that others may read. In the image, it runs as the user 999.
chmod 400 "$keys/keyfile"
sudo chown -R 999:999 "$keys"

for index in 0 1 2; do
  # enableTestCommands permits the fail points of test/real-mongodb/fail-points.test.ts.
  docker run --detach --name "mongodb-$((index + 1))" --network host --volume "$keys:/keys:ro" "$image" \
    --replSet rs0 --bind_ip 127.0.0.1 --port "${ports[index]}" --keyFile /keys/keyfile \
    --setParameter transactionLifetimeLimitSeconds=15 --setParameter enableTestCommands=1 >/dev/null
done

# Runs a script in mongosh on the first member, which becomes the primary. Reads the script from standard input.
shell() {
  docker exec --interactive mongodb-1 mongosh --quiet --port "${ports[0]}" "$@"
}

for index in 0 1 2; do
  for attempt in $(seq 60); do
    docker exec "mongodb-$((index + 1))" mongosh --quiet --port "${ports[index]}" --eval 'db.hello().ok' >/dev/null && break
    if [ "$attempt" = 60 ]; then
      docker logs --tail 20 "mongodb-$((index + 1))"
      exit 1
    fi
    sleep 1
  done
done

# Until the first user exists, a client on the same host may initiate the replica set and create that user.
shell <<'SCRIPT'
rs.initiate({
  _id: "rs0",
  members: [
    { _id: 0, host: "127.0.0.1:27017", priority: 2 },
    { _id: 1, host: "127.0.0.1:27018" },
    { _id: 2, host: "127.0.0.1:27019" },
  ],
});
while (!db.hello().isWritablePrimary) sleep(200);
SCRIPT

password() { openssl rand -hex 24; }
admin="$(password)" check="$(password)" step_down="$(password)" feed="$(password)"
for secret in "$admin" "$check" "$step_down" "$feed"; do echo "::add-mask::$secret"; done

shell <<SCRIPT
db.getSiblingDB("admin").createUser({ user: "admin", pwd: "$admin", roles: ["root"] });
SCRIPT
shell --username admin --password "$admin" --authenticationDatabase admin <<SCRIPT
const admin = db.getSiblingDB("admin");
const documented = (name) => [
  { role: "readWrite", db: name },
  { role: "dbAdmin", db: name },
  { role: "clusterMonitor", db: "admin" },
];
admin.createRole({
  role: "stepDown",
  privileges: [{ resource: { cluster: true }, actions: ["replSetStateChange"] }],
  roles: [],
});
admin.createUser({ user: "check", pwd: "$check", roles: documented("registry_check") });
admin.createUser({ user: "step_down", pwd: "$step_down", roles: [...documented("registry_check"), "stepDown"] });
admin.createUser({ user: "feed", pwd: "$feed", roles: documented("registry_feed") });
SCRIPT

{
  echo "ADMIN_URI=mongodb://admin:$admin@$seeds/?replicaSet=rs0&authSource=admin"
  echo "CHECK_URI=mongodb://check:$check@$seeds/?replicaSet=rs0&authSource=admin"
  echo "STEP_DOWN_URI=mongodb://step_down:$step_down@$seeds/?replicaSet=rs0&authSource=admin"
  echo "FEED_URI=mongodb://feed:$feed@$seeds/registry_feed?replicaSet=rs0&authSource=admin"
} >>"$output"
