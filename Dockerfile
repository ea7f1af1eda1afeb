# Packs the service as it is released, with all packages that it needs, and ships that alone.
# To pin the base image, name its digest on both FROM lines. This command prints it:
#   docker buildx imagetools inspect node:24-slim --format '{{.Manifest.Digest}}'
# and the lines become `FROM node:24-slim@sha256:…`. The service shuts down within 25 s: `docker stop --time 35`.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY server/package.json ./server/
COPY server/processing/package.json ./server/processing/
COPY widget/package.json ./widget/
COPY plugin-bridge/sdk/package.json ./plugin-bridge/sdk/
COPY plugin-bridge/host/package.json ./plugin-bridge/host/
COPY plugin-bridge/cli/package.json ./plugin-bridge/cli/
COPY plugin-bridge/unplugin/package.json ./plugin-bridge/unplugin/
RUN npm ci
COPY LICENSE tsconfig.json vite.config.ts ./
COPY server ./server
COPY widget ./widget
COPY plugin-bridge ./plugin-bridge
COPY docs ./docs
RUN npm run pack -- @imagewright/engine @imagewright/server imagewright
RUN npm run pack:server -- $(node -p process.arch)
RUN mkdir service && tar -xzf dist/packages/*.tar.gz -C service --strip-components=1

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/service .
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/start.mjs"]
