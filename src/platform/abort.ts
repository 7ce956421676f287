/**
 * What is aborted after so many milliseconds, unless `forget` is called before. Its time is the module's, which the simulation
 * makes virtual; that of `AbortSignal.timeout` is always the machine's.
 */
export function abortAfter(milliseconds: number, why: string): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(why)), milliseconds)
  return { signal: controller.signal, forget: () => clearTimeout(timer) }
}

/** Waits for some work, unless it is aborted before; then it rejects with the signal's reason, and the work goes on unwatched. */
export async function unlessAborted<Result>(work: Promise<Result>, aborted: AbortSignal): Promise<Result> {
  let abort: (() => void) | undefined
  const abortion = new Promise<never>((_resolve, reject) => {
    abort = () => reject(aborted.reason as Error)
    if (aborted.aborted) abort()
    aborted.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([work, abortion])
  } finally {
    if (abort) aborted.removeEventListener('abort', abort)
  }
}
