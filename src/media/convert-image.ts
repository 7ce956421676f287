import sharp from 'sharp'
import { type Image, MAX_IMAGE_BYTES } from '../platform/image.ts'

export interface ImageJob {
  file: Uint8Array
  /** Whether drawings are refused: other servers send them, too, and they can contain anything. */
  refusesSvg: boolean
}

export type ImageResult = Image | { fault: 'not an image' | 'too large' | 'too many pixels' }

/** An email is at most 800 pixels wide, on screens with two dots for each pixel. */
const MAX_WIDTH = 1_600
const MAX_HEIGHT = 8_000
/** Maximum number of pixels of an image before it is scaled: a photo of a telephone. */
const MAX_PIXELS = 50_000_000

/** The formats of files that are read, as sharp names them. */
const FORMATS: readonly string[] = ['png', 'jpeg', 'gif', 'webp', 'svg']

// One image at a time, and nothing is kept between two.
sharp.concurrency(1)
sharp.cache(false)

/**
 * Converts a file to an image for emails: scaled to at most 1,600 pixels, upright, and without metadata such as the place where it was
 * taken. SVG and transparent WebP become PNG, other WebP becomes JPEG. A GIF that is not too wide stays unchanged.
 *
 * @throws {Error} if sharp cannot read it
 */
export async function convertImage({ file, refusesSvg }: ImageJob): Promise<ImageResult> {
  // Sharp would read compressed SVG, too.
  if (file[0] === 0x1f && file[1] === 0x8b) return { fault: 'not an image' }
  const { format, hasAlpha, width, pageHeight, height, pages = 1 } = await sharp(file, { animated: true }).metadata()
  if (!FORMATS.includes(format) || (format === 'svg' && refusesSvg)) return { fault: 'not an image' }
  // Writing an animation again takes seconds.
  if (format === 'gif' && width <= MAX_WIDTH)
    return { type: 'image/gif', width, height: pageHeight ?? height, content: Buffer.from(file) }
  // Of an animation, the height is that of all frames together.
  if (width * height > MAX_PIXELS) return { fault: 'too many pixels' }
  const isAnimated = format === 'gif' || (format === 'webp' && pages > 1)
  const to = isAnimated ? 'gif' : format === 'jpeg' || (format === 'webp' && !hasAlpha) ? 'jpeg' : 'png'
  const { data, info } = await sharp(file, { limitInputPixels: MAX_PIXELS, animated: isAnimated })
    .autoOrient()
    .resize({ width: MAX_WIDTH, height: MAX_HEIGHT, fit: 'inside', withoutEnlargement: true })
    .toFormat(to, to === 'jpeg' ? { quality: 85, mozjpeg: true } : {})
    .toBuffer({ resolveWithObject: true })
  if (data.length > MAX_IMAGE_BYTES) return { fault: 'too large' }
  return { type: `image/${to}`, width: info.width, height: info.pageHeight ?? info.height, content: data }
}
