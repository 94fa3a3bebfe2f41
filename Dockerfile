# The service as an image. Build it from the root of the repository: docker build -t svc .
# Everything that runs is installed here: the container starts without npm and without a network.

FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libatomic1 npm
WORKDIR /src
COPY . .
# Node 26 is one of the packages; that of Debian only runs npm.
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node_modules/node-linux-*/bin/node --conditions=source scripts/build/packages.ts
# With the lock file of the repository, so that the versions are those that were tested.
RUN cp package-lock.json build/server/ \
 && cd build/server \
 && npm install --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -r package-lock.json node_modules/node-linux-*/include node_modules/node-linux-*/share

FROM debian:12-slim
# bubblewrap isolates functions, postgresql-client has pg_dump for backups, tini removes processes that have ended.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates libatomic1 postgresql-client tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
COPY --from=build /src/build/server /app
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin svc \
 && install -d -o svc -g svc -m 0700 /data /functions \
 && ln -s /app/node_modules/node-linux-*/bin/node /usr/local/bin/node \
 && ln -s /app/bin/svc-server.js /usr/local/bin/svc-server

ENV HOST=0.0.0.0 SVC_DATA_DIR=/data SVC_BILLING=off
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787/tcp 3478/tcp 3478/udp 3481/tcp 3481/udp
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
 CMD ["node", "-e", "http.get({ port: process.env.PORT || 8787, path: '/healthz' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "svc-server"]

LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="One self-hostable backend for web apps and games." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
