import type { Context, Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import { ApiError } from '../platform/api-error.ts'
import { BODY_TOO_LARGE, MALFORMED_JSON } from './errors.ts'

/** A form for people has only a few fields. */
const MAX_BYTES = 16 * 1024

const reader = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'] },
  textLimit: `${MAX_BYTES}b`,
  onerror(error) {
    const { type } = error as { type?: string }
    if (type === 'entity.too.large') throw new ApiError(BODY_TOO_LARGE)
    throw new ApiError(MALFORMED_JSON, { message: 'The request body ended too early' })
  },
}) as Middleware

/**
 * Reads a form as browsers and mail providers send it, in either encoding (RFC 8058, section 3.2, allows both). It has fields
 * only, no files.
 *
 * @see https://datatracker.ietf.org/doc/html/rfc7578 for multipart/form-data
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  await reader(ctx, () => Promise.resolve())
  const raw = (ctx.request as { rawBody?: string }).rawBody ?? ''
  const type = ctx.get('Content-Type')
  return /^multipart\//i.test(type) ? fieldsOfParts(raw, boundaryIn(type)) : new URLSearchParams(raw)
}

/** @see https://datatracker.ietf.org/doc/html/rfc2046#section-5.1.1 */
function boundaryIn(type: string): string | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? bare
  return boundary === undefined ? undefined : `--${boundary}`
}

/** @param boundaryParam the boundary that the header names; without it, the first line is the boundary */
function fieldsOfParts(raw: string, boundaryParam: string | undefined): URLSearchParams {
  const fields = new URLSearchParams()
  const boundary =
    boundaryParam !== undefined && raw.includes(boundaryParam) ? boundaryParam : (raw.split(/\r?\n/, 1)[0] ?? '')
  if (!boundary.startsWith('--')) return fields
  for (const part of raw.split(boundary).slice(1)) {
    const [head = '', ...rest] = part.split(/\r?\n\r?\n/)
    const name = /;\s*name="?([^";\r\n]+)/i.exec(head)?.[1]
    if (name !== undefined && rest.length > 0) fields.append(name, rest.join('\n').replace(/\r?\n$/, ''))
  }
  return fields
}
