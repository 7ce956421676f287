import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { ApiError } from '../platform/api-error.ts'
import { NOT_AN_IMAGE } from './errors.ts'

/** The formats that every mail client shows: https://www.caniemail.com/search/?s=image */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif'

export interface Image {
  type: ImageType
  width: number
  height: number
  content: Buffer
}

/** An email is at most 800 pixels wide, on screens with two dots for each pixel. */
const MAX_WIDTH = 1_600
/** Maximum number of pixels of an image before it is scaled: a photo of a telephone. */
const MAX_PIXELS = 50_000_000
const SECONDS = 10

/** The formats of files that are read, as sharp names them. */
const READ: readonly string[] = ['png', 'jpeg', 'gif', 'webp', 'svg']

/**
 * Converts a file to an image for emails: scaled to at most 1,600 pixels, upright, and without metadata such as the place where it was
 * taken. SVG and transparent WebP become PNG, other WebP becomes JPEG.
 *
 * @throws {ApiError} `not_an_image`
 */
export async function readImage(file: Buffer): Promise<Image> {
  try {
    const options = { limitInputPixels: MAX_PIXELS, animated: true }
    const { format, hasAlpha, pages = 1 } = await sharp(file, options).metadata()
    if (!READ.includes(format)) throw new ApiError(NOT_AN_IMAGE)
    const isAnimated = format === 'gif' || (format === 'webp' && pages > 1)
    const to = isAnimated ? 'gif' : format === 'jpeg' || (format === 'webp' && !hasAlpha) ? 'jpeg' : 'png'
    const { data, info } = await sharp(file, { ...options, animated: isAnimated })
      .timeout({ seconds: SECONDS })
      .autoOrient()
      .resize({ width: MAX_WIDTH, withoutEnlargement: true })
      .toFormat(to, to === 'jpeg' ? { quality: 85, mozjpeg: true } : {})
      .toBuffer({ resolveWithObject: true })
    return { type: `image/${to}`, width: info.width, height: info.pageHeight ?? info.height, content: data }
  } catch {
    // Sharp's messages describe its own steps, not what is wrong with the file.
    throw new ApiError(NOT_AN_IMAGE)
  }
}

/** Names the content of a workspace's file. It cannot be guessed without the content. */
export const hashOf = (workspaceId: string, content: Buffer): string =>
  createHash('sha256').update(workspaceId).update(content).digest('base64url').slice(0, 32)
