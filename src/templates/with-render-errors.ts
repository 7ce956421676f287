import { BUSY, ApiError } from '../platform/api-error.ts'
import { RendererBusy } from '../rendering/index.ts'

/** What the renderer comes to. @throws {ApiError} `busy` where the machine is too busy to tell */
export async function withRenderErrors<Result>(job: Promise<Result>): Promise<Result> {
  try {
    return await job
  } catch (error) {
    throw error instanceof RendererBusy ? new ApiError(BUSY, { message: error.message, cause: error }) : error
  }
}
