import { BUSY, ApiError } from '../platform/api-error.ts'
import { RendererBusy } from '../rendering/index.ts'

/** Awaits a render job. @throws {ApiError} `busy` if the machine is too busy */
export async function withRenderErrors<Result>(job: Promise<Result>): Promise<Result> {
  try {
    return await job
  } catch (error) {
    throw error instanceof RendererBusy ? new ApiError(BUSY, { message: error.message, cause: error }) : error
  }
}
