/** Replacement for timers and clocks in the product's modules during a simulation: see `hooks.ts`. */
import type { Scheduler } from './scheduler.ts'

let scheduler: Scheduler | undefined
/** Inside a workflow, the time is that of its history. */
let workflowNow: () => number | undefined = () => undefined
export function useScheduler(next: Scheduler, ofWorkflow: () => number | undefined): void {
  scheduler = next
  workflowNow = ofWorkflow
}
const own = (): Scheduler => {
  if (!scheduler) throw new Error('No simulation is running')
  return scheduler
}

type Handle = ReturnType<Scheduler['after']> & { unref(): Handle }
const asHandle = (timer: ReturnType<Scheduler['after']>): Handle => {
  const handle = timer as Handle
  handle.unref = () => handle
  return handle
}

export const setTimeout = (run: () => void, milliseconds = 0): Handle => asHandle(own().after(milliseconds, run))
export const clearTimeout = (timer?: Handle): void => own().cancel(timer)

const intervals = new WeakMap<object, { next: Handle; over: boolean }>()
export function setInterval(run: () => void, milliseconds: number): Handle {
  const state = { next: undefined as unknown as Handle, over: false }
  const again = () => {
    if (state.over) return
    state.next = setTimeout(again, milliseconds)
    run()
  }
  state.next = setTimeout(again, milliseconds)
  const handle = asHandle({ ...state.next })
  intervals.set(handle, state)
  return handle
}
export function clearInterval(handle?: Handle): void {
  const state = handle && intervals.get(handle)
  if (!state) return
  state.over = true
  clearTimeout(state.next)
}

export const performance = { now: (): number => own().now }

/** The same in each run. */
export const Math = Object.assign(Object.create(globalThis.Math) as typeof globalThis.Math, { random: () => 0.5 })

const RealDate = globalThis.Date
export const Date = new Proxy(RealDate, {
  construct: (target, args: unknown[]) =>
    args.length === 0 ? new target(workflowNow() ?? own().now) : (Reflect.construct(target, args) as object),
  get: (target, name) => (name === 'now' ? () => workflowNow() ?? own().now : (Reflect.get(target, name) as unknown)),
})

const RealAbortSignal = globalThis.AbortSignal
export const AbortSignal = new Proxy(RealAbortSignal, {
  get: (target, name) => (name === 'timeout' ? abortAfter : (Reflect.get(target, name) as unknown)),
})
function abortAfter(milliseconds: number): globalThis.AbortSignal {
  const late = new AbortController()
  own().after(milliseconds, () => late.abort(new DOMException('The operation timed out', 'TimeoutError')))
  return late.signal
}

/** Replacement for `node:timers/promises`. */
export function delay(
  milliseconds: number,
  value?: unknown,
  { signal }: { signal?: AbortSignal } = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const timer = setTimeout(() => resolve(value), milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
