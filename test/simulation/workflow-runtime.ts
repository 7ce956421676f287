/**
 * Replacement for `@temporalio/workflow` in a simulation: a workflow's code runs against a history, in the order of its events,
 * and its commands are collected. `instances` holds the running instance.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Event } from './events.ts'

export class Cancelled extends Error {
  override readonly name = 'CancelledFailure'
}
export class ContinueAsNew extends Error {
  readonly input: unknown
  readonly memo: Record<string, unknown> | undefined
  constructor(input: unknown, memo: Record<string, unknown> | undefined) {
    super('continue as new')
    this.input = input
    this.memo = memo
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
  shielded: boolean
}

/** One run of a workflow's code over a history. */
export class Instance {
  readonly locals: { seq: number; name: string; input: unknown }[] = []
  readonly remotes = new Map<number, { name: string; input: unknown }>()
  readonly timers = new Map<number, number>()
  readonly longHistory: () => boolean
  now: number
  private seq = 0
  private shielded = false
  private cancelled = false
  private readonly waiting = new Map<number, Waiting>()
  private conditions: { test: () => boolean; resolve: (value: boolean) => void; timer: number | undefined }[] = []
  private readonly handlers = new Map<string, (arg: never) => void>()
  private buffered: { name: string; arg: unknown }[] = []

  constructor(now: number, longHistory: () => boolean) {
    this.now = now
    this.longHistory = longHistory
  }

  apply(event: Event): void {
    switch (event.kind) {
      case 'task':
        this.now = event.now
        break
      case 'signal': {
        const handler = this.handlers.get(event.name)
        if (handler) handler(event.arg as never)
        else this.buffered.push({ name: event.name, arg: event.arg })
        break
      }
      case 'cancel':
        this.cancelled = true
        for (const [seq, waiting] of [...this.waiting]) {
          if (waiting.shielded) continue
          this.waiting.delete(seq)
          this.remotes.delete(seq)
          this.timers.delete(seq)
          waiting.reject(new Cancelled())
        }
        this.conditions = []
        break
      case 'result': {
        if (event.localAt !== undefined) this.now = Math.max(this.now, event.localAt)
        const waiting = this.waiting.get(event.seq)
        this.waiting.delete(event.seq)
        this.remotes.delete(event.seq)
        if ('error' in event) waiting?.reject(new Error(event.error))
        else waiting?.resolve(event.value)
        break
      }
      case 'timer': {
        this.timers.delete(event.seq)
        const condition = this.conditions.find(({ timer }) => timer === event.seq)
        this.conditions = this.conditions.filter((other) => other !== condition)
        this.waiting.delete(event.seq)
        condition?.resolve(false)
      }
    }
    this.check()
  }

  check(): void {
    for (const condition of [...this.conditions]) {
      if (!condition.test()) continue
      this.conditions = this.conditions.filter((other) => other !== condition)
      if (condition.timer !== undefined) {
        this.timers.delete(condition.timer)
        this.waiting.delete(condition.timer)
      }
      condition.resolve(true)
    }
  }

  handle(name: string, handler: (arg: never) => void): void {
    this.handlers.set(name, handler)
    const mine = this.buffered.filter((signal) => signal.name === name)
    this.buffered = this.buffered.filter((signal) => signal.name !== name)
    for (const { arg } of mine) handler(arg as never)
  }

  activity(name: string, input: unknown, local: boolean): Promise<unknown> {
    if (this.cancelled && !this.shielded) return Promise.reject(new Cancelled())
    const seq = (this.seq += 1)
    if (local) this.locals.push({ seq, name, input })
    else this.remotes.set(seq, { name, input })
    return this.wait(seq)
  }

  condition(test: () => boolean, milliseconds?: number): Promise<boolean> {
    if (this.cancelled && !this.shielded) return Promise.reject(new Cancelled())
    if (test()) return Promise.resolve(true)
    const seq = (this.seq += 1)
    const timer = milliseconds === undefined ? undefined : seq
    if (timer !== undefined) this.timers.set(timer, this.now + milliseconds!)
    return new Promise<boolean>((resolve, reject) => {
      this.conditions.push({ test, resolve, timer })
      this.waiting.set(seq, { resolve: () => undefined, reject, shielded: this.shielded })
    })
  }

  async shield<Result>(run: () => Promise<Result>): Promise<Result> {
    this.shielded = true
    try {
      return await run()
    } finally {
      this.shielded = false
    }
  }

  private wait(seq: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.waiting.set(seq, { resolve, reject, shielded: this.shielded }))
  }
}

export const instances = new AsyncLocalStorage<Instance>()
const instance = () => instances.getStore()!

const proxy = (local: boolean) =>
  new Proxy({}, { get: (_target, name: string) => (input: unknown) => instance().activity(name, input, local) })
export const proxyLocalActivities = () => proxy(true)
export const proxyActivities = () => proxy(false)
export const condition = (test: () => boolean, milliseconds?: number) => instance().condition(test, milliseconds)
export const sleep = async (milliseconds: number) => {
  await instance().condition(() => false, milliseconds)
}
export const setHandler = ({ name }: { name: string }, handler: (arg: never) => void) =>
  instance().handle(name, handler)
export const defineSignal = (name: string) => ({ name })
export const defineQuery = (name: string) => ({ name: `query ${name}` })
export const isCancellation = (error: unknown): boolean => error instanceof Cancelled
export const allHandlersFinished = () => true
export const CancellationScope = {
  nonCancellable: <Result>(run: () => Promise<Result>) => instance().shield(run),
}
export const makeContinueAsNewFunc =
  ({ memo }: { memo?: Record<string, unknown> } = {}) =>
  (input: unknown) =>
    Promise.reject(new ContinueAsNew(input, memo))
export const setCurrentDetails = () => undefined
export const upsertSearchAttributes = () => undefined
/** A run without a history takes the current code path. */
export const patched = () => true
export const metricMeter = { createHistogram: () => ({ record: () => undefined }) }
export const workflowInfo = () => ({
  taskQueue: 'simulation',
  historyLength: 0,
  continueAsNewSuggested: instance().longHistory(),
})
