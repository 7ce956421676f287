import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { type PackedFile, readPacked, sendPacked } from './packed-file.ts'
import type { ApiState } from './state.ts'

/** The dashboard, as `scripts/prepare/dashboard.ts` makes it when the package is installed. */
const FOLDER = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

/**
 * No script but ours, none in the page's text, and nothing from or to another host. Styles are set on elements by the components
 * that place them. An email is shown in a frame without scripts, which is under this as well.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** What is packed well; fonts and pictures are already. */
const TEXT = new Set(['.html', '.js', '.css', '.svg'])

/**
 * The page where people work, at `/` and at each address that is nobody else's; and its parts. They are read and packed once, when
 * they are asked for first: whoever asks needs no key.
 *
 * @returns what serves the page, where a browser asks for it, and tells whether that was so
 */
export function pageRoutes(router: Router<ApiState>, folder = FOLDER): (ctx: Context) => Promise<boolean> {
  const files = new Map<string, Promise<PackedFile>>()
  let made: Promise<{ names: ReadonlySet<string>; at: number }> | undefined
  /** Looks again where it was made anew meanwhile: then its parts have other names. */
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
      file = readPacked(join(folder, name), { isText: TEXT.has(extname(name)) })
      files.set(name, file)
      // What could not be read now may be the next time.
      file.catch(() => files.delete(name))
    }
    sendPacked(ctx, await file, extname(name))
  }

  router.get('/assets/:name', async (ctx, next) => {
    const name = `assets/${ctx.params['name']}`
    if (!(await isThere(name))) return void (await next())
    // Its name tells what is in it.
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
      // Of a page's address the last part may be an email; of a file that is not there nothing is.
      (extname(ctx.path) === '' || ctx.path.startsWith('/w/')) &&
      // Who takes anything is a program.
      ctx.accepts('json', 'html') === 'html'
    if (!isPage || !(await isThere('index.html'))) return false
    ctx.set('Content-Security-Policy', POLICY)
    ctx.set('Cache-Control', 'no-cache')
    await serve(ctx, 'index.html')
    return true
  }
}
