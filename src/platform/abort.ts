/**
 * Creates a signal that is aborted after a time, unless `forget` is called first. It uses `setTimeout`, which the simulation
 * replaces with virtual time. `AbortSignal.timeout` always uses the real clock.
 */
export function abortAfter(milliseconds: number, why: string): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(why)), milliseconds)
  return { signal: controller.signal, forget: () => clearTimeout(timer) }
}

/**
 * Waits for some work, unless it is aborted first. In that case, rejects with the signal's reason, and the work continues
 * unobserved.
 */
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
