import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { downloadPublic, isHttpUrl } from '../platform/public-request.ts'
import { IMAGE_UNREACHABLE } from './errors.ts'
import { findContent } from './queries.ts'
import { type ImageReader, MAX_IMAGE_BYTES } from '../platform/image.ts'
import { hashOfUrl } from './urls.ts'

const MAX_REDIRECTS = 3
/** Milliseconds for all requests of an image together. */
const MAX_MS = 10_000

/**
 * Loads an image of the web for a preview, so that the browser of a member requests nothing from other servers.
 *
 * @param publicUrl of this instance, whose own files are read from Postgres
 * @returns a `data:` URL
 * @throws {ApiError} `image_unreachable`; `not_an_image`, also for SVG; `image_too_large`; `busy`
 */
export async function loadImage(
  em: EntityManager,
  url: string,
  { publicUrl, allowedHosts, images }: { publicUrl: string; allowedHosts: readonly string[]; images: ImageReader },
): Promise<string> {
  const hash = hashOfUrl(url, publicUrl)
  const own = hash === undefined ? undefined : await findContent(em, hash)
  const { type, content } = own ?? (await images.read(await download(url, allowedHosts), { refusesSvg: true }))
  return `data:${type};base64,${content.toString('base64')}`
}

async function download(url: string, allowedHosts: readonly string[]): Promise<Buffer> {
  let at = url
  const until = performance.now() + MAX_MS
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    if (!isHttpUrl(at)) throw unreachable('the URL must start with https:// or http://')
    const response = await downloadPublic(at, MAX_IMAGE_BYTES, {
      allowedHosts,
      timeoutMs: Math.max(1, Math.ceil(until - performance.now())),
    })
    if ('problem' in response) throw unreachable(response.problem)
    const { status, location, body } = response
    if (status >= 300 && status < 400 && location !== null) {
      at = URL.parse(location, at)?.href ?? ''
      continue
    }
    if (status !== 200) throw unreachable(`the server responded with ${status}`)
    if (body === null) throw unreachable('it is larger than 5 MB')
    return body
  }
  throw unreachable(`the server redirected more than ${MAX_REDIRECTS} times`)
}

const unreachable = (reason: string) =>
  new ApiError(IMAGE_UNREACHABLE, { message: `The image cannot be loaded: ${reason}.`, param: '/url' })
