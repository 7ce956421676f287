import { BUSY, Refusal } from '../platform/refusal.ts'
import { RendererBusy } from '../rendering/index.ts'

/** What the renderer comes to. @throws {Refusal} `busy` where the machine is too busy to tell */
export async function orBusy<Result>(job: Promise<Result>): Promise<Result> {
  try {
    return await job
  } catch (error) {
    throw error instanceof RendererBusy ? new Refusal(BUSY, { message: error.message, cause: error }) : error
  }
}
