import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'koa'

/** A file that is served often. It is read and compressed once. */
export interface CompressedFile {
  plain: Buffer
  /** The compressed file by encoding; `undefined` if its format is already compressed. */
  packed: Record<'gzip' | 'br', Buffer> | undefined
  etag: string
}

export async function readCompressed(path: string | URL, { isText }: { isText: boolean }): Promise<CompressedFile> {
  const plain = await readFile(path)
  const etag = createHash('sha256').update(plain).digest('base64url').slice(0, 32)
  if (!isText) return { plain, packed: undefined, etag }
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    // The build compresses what is large.
    readFile(`${path instanceof URL ? fileURLToPath(path) : path}.br`).catch(() =>
      promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    ),
  ])
  return { plain, packed: { gzip: zipped, br }, etag }
}

/** Responds with a file in an encoding that the client accepts, or with 304 if the client has the file. */
export function sendCompressed(ctx: Context, { plain, packed, etag }: CompressedFile, type: string): void {
  ctx.status = 200
  ctx.etag = etag
  ctx.type = type
  if (packed) ctx.vary('Accept-Encoding')
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const encoding = packed ? ctx.acceptsEncodings('br', 'gzip', 'identity') : false
  if (packed && (encoding === 'br' || encoding === 'gzip')) {
    ctx.set('Content-Encoding', encoding)
    ctx.body = packed[encoding]
  } else ctx.body = plain
}
