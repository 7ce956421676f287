import type Router from '@koa/router'
import { SERVER } from './openapi/document.ts'
import { type CompressedFile, readCompressed, sendCompressed } from './packed-file.ts'
import type { ApiState } from './state.ts'

/** Scalar's reference page in one file; `scripts/prepare/reference.ts` downloads it when the package is installed. */
const SCRIPT = new URL('../../dist/reference/scalar.js', import.meta.url)

const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  // The document has its own samples, for curl and for the client of this package.
  hiddenClients: true,
  metaData: { title: 'Dripline API' },
}

/** Allows nothing from other hosts, and no frames on other sites. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dripline API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script id="configuration" type="application/json">{CONFIGURATION}</script>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** The server is the page's own origin, also in the samples, so that readers can try this deployment. */
const START = `Scalar.createApiReference('#reference', {
  ...JSON.parse(document.getElementById('configuration').textContent.replaceAll('${SERVER}', location.origin)),
  servers: [{ url: location.origin + '/api/v1' }],
})
`

/** Serves the API reference at `/docs`, with its own copy of the document. It needs no key and no network. */
export function referenceRoutes(router: Router<ApiState>, document: object): void {
  const configuration = JSON.stringify({ ...CONFIGURATION, content: document }).replaceAll('<', '\\u003c')
  const page = Buffer.from(PAGE.replace('{CONFIGURATION}', () => configuration))

  router.get('/docs', (ctx) => {
    ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    ctx.type = 'html'
    ctx.body = page
  })

  router.get('/docs/start.js', (ctx) => {
    ctx.type = 'js'
    ctx.body = START
  })

  let script: Promise<CompressedFile> | undefined
  router.get('/docs/scalar.js', async (ctx) => {
    try {
      const file = await (script ??= readCompressed(SCRIPT, { isText: true }))
      ctx.set('Cache-Control', 'public, max-age=86400')
      sendCompressed(ctx, file, 'js')
    } catch {
      script = undefined
      ctx.status = 404
      ctx.body = { error: 'The reference page is not installed. Run "npm run prepare".' }
    }
  })
}
