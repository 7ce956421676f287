import { createHash } from 'node:crypto'
import { ApiError, BUSY } from '../platform/api-error.ts'
import { createJobProcess, JobTookTooLong } from '../platform/job-process.ts'
import type { ImageReader } from '../platform/image.ts'
import type { ImageJob, ImageResult } from './convert-image.ts'
import { IMAGE_TOO_LARGE, NOT_AN_IMAGE } from './errors.ts'

/** Milliseconds in which an image must be converted. A photo takes less than one second. */
const MAX_MS = 15_000
/** Megabytes for JavaScript. The image itself is outside of it. */
const MAX_MB = 256
/** Images that wait for their turn. */
const MAX_WAITING = 50

/**
 * Reads images in a process that is killed if one takes too long: a drawing of a few hundred bytes can take minutes, and no timeout of
 * sharp ends it.
 */
export function createImageReader(): ImageReader {
  const jobs = createJobProcess<ImageJob, ImageResult>({
    script: new URL('./image-process.ts', import.meta.url),
    maxMs: () => MAX_MS,
    maxMb: MAX_MB,
  })
  let waiting = 0
  return {
    async read(file, { refusesSvg = false } = {}) {
      if (waiting >= MAX_WAITING) throw new ApiError(BUSY)
      waiting += 1
      try {
        const result = await jobs.run({ file, refusesSvg })
        if (!('fault' in result)) return { ...result, content: Buffer.from(result.content) }
        if (result.fault === 'too many pixels')
          throw new ApiError(IMAGE_TOO_LARGE, {
            message: 'The image has more than 50 million pixels. Make it smaller.',
          })
        throw new ApiError(result.fault === 'too large' ? IMAGE_TOO_LARGE : NOT_AN_IMAGE)
      } catch (error) {
        if (error instanceof JobTookTooLong)
          throw new ApiError(IMAGE_TOO_LARGE, {
            message: 'The image takes too long to read. Make it smaller or simpler.',
          })
        throw error instanceof ApiError ? error : new ApiError(NOT_AN_IMAGE)
      } finally {
        waiting -= 1
      }
    },
    close: () => jobs.close(),
  }
}

/** Names the content of a workspace's file. It cannot be guessed without the content. */
export const hashOf = (workspaceId: string, content: Buffer): string =>
  createHash('sha256').update(workspaceId).update(content).digest('base64url').slice(0, 32)
