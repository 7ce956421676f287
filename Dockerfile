# One image for the API, the worker and the command line. The command selects which of them runs.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/cli/package.json packages/cli/
COPY packages/testing/package.json packages/testing/
COPY dashboard/package.json dashboard/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# Builds the client, the dashboard, the reference page and the workflow code once for all containers.
RUN node scripts/prepare.ts && node scripts/bundle-workflows.ts dist/workflows.js

FROM node:24.21.0-bookworm-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/cli/package.json packages/cli/
COPY packages/testing/package.json packages/testing/
COPY dashboard/package.json dashboard/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production WORKFLOW_BUNDLE=/app/dist/workflows.js
WORKDIR /app
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY scripts ./scripts
COPY embedded ./embedded
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/healthz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
# Node rather than npm, so that SIGTERM reaches the process.
CMD ["node", "src/bin/api.ts"]
