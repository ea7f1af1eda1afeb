# Builds dist/ with the development tools, installs what the service needs at run time, and ships those two alone.
# To pin the base image, name its digest on both FROM lines that name node. This command prints it:
#   docker buildx imagetools inspect node:24-slim --format '{{.Manifest.Digest}}'
# and the lines become `FROM node:24-slim@sha256:…`. The service shuts down within 25 s: `docker stop --time 35`.
FROM node:24-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY server/package.json ./server/
COPY server/processing/package.json ./server/processing/
COPY widget/package.json ./widget/
COPY plugin-bridge/sdk/package.json ./plugin-bridge/sdk/
COPY plugin-bridge/host/package.json ./plugin-bridge/host/
COPY plugin-bridge/cli/package.json ./plugin-bridge/cli/
COPY plugin-bridge/unplugin/package.json ./plugin-bridge/unplugin/

FROM manifests AS build
RUN npm ci
COPY tsconfig.json vite.config.ts ./
COPY server ./server
COPY widget ./widget
COPY plugin-bridge ./plugin-bridge
RUN npm run build

FROM manifests AS dependencies
RUN npm ci --omit=dev

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY docs ./docs
COPY package.json ./
COPY server/start.mjs ./server/start.mjs
COPY plugin-bridge/cli/bin.mjs ./plugin-bridge/cli/bin.mjs
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/start.mjs"]
