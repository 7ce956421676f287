import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { type CompressedFile, readCompressed, sendCompressed } from './packed-file.ts'
import type { ApiState } from './state.ts'

/** The dashboard, as `scripts/prepare/dashboard.ts` builds it when the package is installed. */
const FOLDER = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

/**
 * Allows only scripts of this origin, no inline scripts, and no connections to other hosts. Components set inline styles for
 * positions. Emails are shown in a frame without scripts, which inherits this policy.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Formats that compress well. Fonts and images are already compressed. */
const TEXT = new Set(['.html', '.js', '.css', '.svg'])

/**
 * Serves the dashboard at `/` and at every path without another route, and its assets. Files are read and compressed on the first
 * request. No key is needed.
 *
 * @returns a function that serves the page if a browser requests it, and returns whether it did
 */
export function pageRoutes(router: Router<ApiState>, folder = FOLDER): (ctx: Context) => Promise<boolean> {
  const files = new Map<string, Promise<CompressedFile>>()
  let made: Promise<{ names: ReadonlySet<string>; at: number }> | undefined
  /** Lists the folder again for an unknown name, because a new build has different names. */
  const isThere = async (name: string): Promise<boolean> => {
    const at = await stat(join(folder, 'index.html')).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    if ((await made)?.at !== at) {
      files.clear()
      made = readdir(folder, { recursive: true }).then(
        (found) => ({ names: new Set(found.map((path) => path.replaceAll('\\', '/'))), at }),
        () => ({ names: new Set<string>(), at }),
      )
    }
    return (await made)!.names.has(name)
  }
  const serve = async (ctx: Context, name: string) => {
    let file = files.get(name)
    if (!file) {
      file = readCompressed(join(folder, name), { isText: TEXT.has(extname(name)) })
      files.set(name, file)
      // A file that could not be read this time may be readable next time.
      file.catch(() => files.delete(name))
    }
    sendCompressed(ctx, await file, extname(name))
  }

  router.get('/assets/:name', async (ctx, next) => {
    const name = `assets/${ctx.params['name']}`
    if (!(await isThere(name))) return void (await next())
    // The name contains a hash of the content.
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
    return serve(ctx, name)
  })
  for (const name of ['icon.svg', 'scheme.js']) {
    router.get(`/${name}`, async (ctx, next) => {
      if (!(await isThere(name))) return void (await next())
      ctx.set('Cache-Control', 'no-cache')
      return serve(ctx, name)
    })
  }

  return async function servePage(ctx) {
    const isPage =
      (ctx.method === 'GET' || ctx.method === 'HEAD') &&
      !ctx.path.startsWith('/api/') &&
      // The last part of a page's address may be an email address, with a dot. A missing asset is a 404.
      (extname(ctx.path) === '' || ctx.path.startsWith('/w/')) &&
      // A client that accepts anything is not a browser.
      ctx.accepts('json', 'html') === 'html'
    if (!isPage || !(await isThere('index.html'))) return false
    ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    ctx.set('Cache-Control', 'no-cache')
    await serve(ctx, 'index.html')
    return true
  }
}
