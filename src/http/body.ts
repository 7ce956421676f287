import { BODY_TOO_LARGE, BODY_NOT_AN_OBJECT, MALFORMED_JSON, WRONG_CONTENT_TYPE } from './errors.ts'
import type { Context, Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import { invalid, ApiError } from '../platform/api-error.ts'
import { findJsonFault } from '../platform/json.ts'

/** How large a body may be: in bytes, and in values, because a value costs more than the two bytes that it can have. */
export interface BodyLimit {
  bytes: number
  values: number
}

/** What the bodies of most operations are held to; one that takes more says so in its definition. */
export const DEFAULT_BODY_LIMIT: BodyLimit = { bytes: 256 * 1024, values: 40_000 }

export interface Body {
  /** As it came. */
  raw: string
  json: Record<string, unknown>
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/**
 * Reads a JSON body and makes sure that it is an object that can be stored. Sizes come first: nothing over a limit is parsed.
 *
 * @param isOptional whether none is as good as an empty object
 * @throws {ApiError} `invalid`, in the specification's words.
 */
export async function readBody(ctx: Context, limit: BodyLimit, isOptional = false): Promise<Body> {
  const { headers } = ctx.req
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!isThere && isOptional) return { raw: '', json: {} }
  if (isThere && !JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new ApiError(WRONG_CONTENT_TYPE)
  }
  if (/[^\s]/.test(headers['content-encoding'] ?? '') && headers['content-encoding'] !== 'identity') {
    throw new ApiError(WRONG_CONTENT_TYPE, { message: 'The body must be sent as it is, without a Content-Encoding' })
  }
  const raw = await readText(ctx, limit)
  const json = parse(raw)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ApiError(BODY_NOT_AN_OBJECT)
  }
  const fault = findJsonFault(json)
  if (fault) throw invalid(fault)
  return { raw, json: json as Record<string, unknown> }
}

/** One reader for each size: koa-bodyparser reads the text, and what it holds is counted before it is made. */
const readers = new Map<number, Middleware>()

function readerOf(bytes: number): Middleware {
  const reader =
    readers.get(bytes) ??
    (bodyParser({
      enableTypes: ['text'],
      extendTypes: { text: ['application/json', 'application/*+json'] },
      textLimit: `${bytes}b`,
      // As bytes: what is no UTF-8 would be replaced, and not refused.
      ...({ encoding: null } as object),
      onerror(error) {
        const { type } = error as { type?: string }
        if (type === 'entity.too.large') throw new ApiError(BODY_TOO_LARGE)
        throw new ApiError(MALFORMED_JSON, { message: 'The request body ended before it was whole' })
      },
    }) as Middleware)
  readers.set(bytes, reader)
  return reader
}

/** A body of text or JSON as it came: what is signed is signed over that. @throws {ApiError} where it is larger than so many bytes */
export async function readBytes(ctx: Context, bytes: number): Promise<Buffer> {
  await readerOf(bytes)(ctx, () => Promise.resolve())
  return (ctx.request as { rawBody?: Buffer }).rawBody ?? Buffer.alloc(0)
}

async function readText(ctx: Context, { bytes, values }: BodyLimit): Promise<string> {
  const raw = await readBytes(ctx, bytes)
  if (hasMoreValues(raw, values)) {
    const message = `Request body too large: it has more than ${values.toLocaleString('en-US')} values`
    throw new ApiError(BODY_TOO_LARGE, { message })
  }
  return decode(raw)
}

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE] = [...'"\\,:[{'].map((character) => character.charCodeAt(0))

/** Counts what JSON will be made of, without making it: the marks outside of texts, which are ASCII in UTF-8. */
function hasMoreValues(json: Uint8Array, most: number): boolean {
  let values = 0
  let inText = false
  for (let at = 0; at < json.length && values <= most; at += 1) {
    const mark = json[at]
    if (inText) {
      if (mark === BACKSLASH) at += 1
      else if (mark === QUOTE) inText = false
    } else if (mark === QUOTE) inText = true
    else if (mark === COMMA || mark === COLON || mark === BRACKET || mark === BRACE) values += 1
  }
  return values > most
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError(MALFORMED_JSON, { message: 'Malformed JSON: the body is not UTF-8' })
  }
}

function parse(text: string): unknown {
  try {
    // An empty body is no object, and is told so rather than that it ended too early.
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    throw new ApiError(MALFORMED_JSON, { message: `Malformed JSON: ${(error as Error).message}` })
  }
}
