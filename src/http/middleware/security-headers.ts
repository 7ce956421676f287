import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/** A year: browsers then use https only, even for a link that says http (RFC 6797). */
const HTTPS_ONLY = 'max-age=31536000'

/**
 * Keeps browsers from guessing content types and from telling other sites the address of a page, which names a contact, and caches
 * from storing responses with personal data.
 *
 * @param publicUrl the URL at which people reach the instance, if it is configured
 */
export const securityHeaders = (basePath: string, publicUrl: string | undefined): Middleware<ApiState> =>
  async function securityHeaders(ctx, next) {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Referrer-Policy', 'same-origin')
    if (publicUrl?.startsWith('https:')) ctx.set('Strict-Transport-Security', HTTPS_ONLY)
    // Routes match regardless of case.
    const path = ctx.path.toLowerCase()
    if (path === basePath || path.startsWith(`${basePath}/`)) ctx.set('Cache-Control', 'no-store')
    await next()
  }
