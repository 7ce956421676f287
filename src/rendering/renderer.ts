import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CompiledTemplate, CompileInput } from './compiled.ts'
import { FairQueue } from './queue.ts'
import type { Outcome, RenderJob } from './protocol.ts'
import { RenderProcess } from './render-process.ts'
import {
  RendererBusy,
  RendererClosed,
  TemplateError,
  type EmailContent,
  type RenderedEmail,
  type TemplateFindings,
  type TemplateProblem,
  type TemplateVariables,
} from './content.ts'

export interface RendererOptions {
  /** At least two: one is kept for templates that were rendered before. */
  processes?: number
  /** How much processor time one job may take, in milliseconds. */
  deadlineMs?: number
  /** How long it may take on the wall, where the machine is busy with other things. */
  wallMs?: number
  /** Of a process's thread. */
  memoryMb?: number
  /** How long after a process could not be started another one is tried, in milliseconds. */
  retryMs?: number
}

export interface JobOptions {
  /** Whose template it is: jobs of the same owner wait for each other before they make others wait. */
  owner?: string | undefined
  /** Until when it has to have begun: then it is not done any more, and fails as {RendererBusy}. */
  beginBy?: AbortSignal | undefined
}

export interface Renderer {
  /**
   * Renders an email for a contact.
   * @throws {TemplateError} naming the field, when a template fails; {RendererBusy} when the machine is too busy
   */
  render(content: EmailContent, variables: TemplateVariables, options?: JobOptions): Promise<RenderedEmail>
  /**
   * The same for many contacts, in jobs of a moment each: what one of them fails of is its own, and others have their turns between.
   * @returns in their order; what is wrong with a template where it can't be rendered for somebody
   * @throws {RendererBusy} when the machine is too busy
   */
  renderAll(
    content: EmailContent,
    variables: readonly TemplateVariables[],
    options?: JobOptions,
  ): Promise<(RenderedEmail | TemplateProblem)[]>
  /**
   * Tries the templates of an email. @returns what is wrong, by field; empty when all is well.
   * @throws {RendererBusy} when the machine is too busy to tell
   */
  check(content: EmailContent, options?: JobOptions): Promise<TemplateFindings>
  /**
   * Compiles one language of a template. @returns what is rendered for each recipient, or what is wrong.
   * @throws {RendererBusy} when the machine is too busy to tell
   */
  compile(input: CompileInput, options?: JobOptions): Promise<CompiledTemplate>
  /** Says so, when processes can't be started any more. It goes on trying. */
  problem(): string | undefined
  /** Ends the processes. What is in progress fails. */
  close(): Promise<void>
}

const SUSPECT_MS = 10 * 60_000
const REMEMBERED = 10_000

/** Whose job, or email of many, took so long, in milliseconds on the wall, has one process at a time for a while: two would take the machine. */
const HEAVY_MS = 100
/** The same of a compilation, by a process that has loaded what it needs: its owner is a suspect. */
const HEAVY_COMPILATION_MS = 1_000
const HEAVY_FOR_MS = 60_000

/** After so many processes in a row that could not be started it is no coincidence. */
const FAILED_STARTS = 3
const RETRY_MS = 5_000
/** What is rendered to see whether a process can be started. */
const NOTHING: EmailContent = { subject: '', html: null, text: null }

interface Job {
  message: RenderJob
  group: string
  attempt: number
  /** Nobody waits for it any more. */
  givenUp: boolean
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** A place for a process, which is started when there is something to do for it, and kept. */
interface Lane {
  process: RenderProcess | undefined
  /** Which process of this place has compiled something, and has all that takes. */
  compiler: RenderProcess | undefined
  /** The one in progress. */
  job: Job | undefined
  queues: readonly FairQueue<Job>[]
}

/**
 * Renders templates, which are programs by strangers, in processes that can be ended. Jobs wait in three queues: of
 * templates that were rendered before, of others, and of those that took too long lately, or whose owner had one that
 * did. The first have a process for themselves, the last only one. So whatever somebody writes, others wait for a
 * deadline at most, and only once; and whose templates take long, though in time, has one process at a time. Deadlines are
 * processor time: a busy machine makes an email late, and does not fail it.
 */
export function createRenderer({
  processes = 2,
  deadlineMs = 1_000,
  wallMs = 15_000,
  memoryMb = 128,
  retryMs = RETRY_MS,
}: RendererOptions = {}): Renderer {
  const proven = new LRUCache<string, true>({ max: REMEMBERED })
  const suspects = new LRUCache<string, true>({ max: REMEMBERED, ttl: SUSPECT_MS })
  const heavy = new LRUCache<string, true>({ max: REMEMBERED, ttl: HEAVY_FOR_MS })
  const queues = { proven: new FairQueue<Job>(), fresh: new FairQueue<Job>(), suspect: new FairQueue<Job>() }
  const lane = (...ofLane: FairQueue<Job>[]): Lane => ({
    process: undefined,
    compiler: undefined,
    job: undefined,
    queues: ofLane,
  })
  const lanes = [
    lane(queues.proven),
    ...Array.from({ length: Math.max(processes, 2) - 1 }, () => lane(queues.fresh, queues.proven)),
    lane(queues.suspect),
  ]
  let closed = false
  let failedStarts = 0
  let failure: unknown
  let retry: NodeJS.Timeout | undefined

  const mayGo = (owner: string) => !heavy.has(owner) || lanes.every(({ job }) => job?.group !== owner)
  const isSuspect = ({ message, group }: Job) => suspects.has(message.key) || suspects.has(group)
  const queueOf = (job: Job) =>
    isSuspect(job) ? queues.suspect : proven.has(job.message.key) ? queues.proven : queues.fresh

  function next({ queues: ofLane }: Lane): Job | undefined {
    for (const queue of ofLane) {
      for (let job = queue.take(mayGo); job; job = queue.take(mayGo)) {
        if (job.givenUp) continue
        // What was learnt while it waited.
        if (queue === queues.suspect || !isSuspect(job)) return job
        queues.suspect.add(job.group, job)
      }
    }
    return undefined
  }

  function dispatch(): void {
    // Processes that are there before those that would have to be started. The suspects' one comes last: `next` adds to it.
    for (const started of [true, false]) {
      for (const at of lanes) {
        if (at.job || (at.process !== undefined && !at.process.ended) !== started) continue
        const job = next(at)
        if (job) void work(at, job)
      }
    }
  }

  async function work(at: Lane, job: Job): Promise<void> {
    at.job = job
    try {
      // A second try has a process to itself: nothing that others have left there can be laid at its door.
      if (job.attempt > 1) at.process?.end()
      if (!at.process || at.process.ended) {
        // Whatever is wrong with the next one says nothing of the one before.
        at.process = undefined
        at.process = new RenderProcess({ deadlineMs, wallMs, memoryMb })
      }
      // The first one's time is the process's own.
      const since = at.process.started ? performance.now() : Infinity
      const outcome = await at.process.run(job.message)
      noteTime(at, job, outcome, performance.now() - since)
      failedStarts = 0
      if (
        outcome.kind === 'rendered' ||
        outcome.kind === 'rendered-all' ||
        (outcome.kind === 'checked' && outcome.findings.problems.length === 0)
      ) {
        proven.set(job.message.key, true)
      }
      if (isBlamed(outcome)) {
        suspects.set(job.message.key, true)
        // The memory of a process is everybody's who was there before: that says nothing of an owner yet.
        if (outcome.kind === 'late' || job.attempt > 1) suspects.set(job.group, true)
      }
      // An email that is failed is failed for good. Processor time, too, is longer on some days: caches are cold, others
      // share them.
      if (
        isBlamed(outcome) &&
        job.attempt === 1 &&
        !closed &&
        (isOfOneEmail(job.message) || outcome.kind === 'memory')
      ) {
        job.attempt = 2
        queues.suspect.add(job.group, job)
      } else {
        job.resolve(outcome)
      }
    } catch (error) {
      if (closed) return job.reject(new RendererClosed())
      if (at.process?.started !== true) noteFailedStart(error)
      job.reject(
        new RendererBusy('The process that renders templates has ended; they are tried again', { cause: error }),
      )
    } finally {
      at.job = undefined
      if (!closed) dispatch()
    }
  }

  function noteTime(at: Lane, { message, group }: Job, outcome: Outcome, tookMs: number): void {
    if (message.kind !== 'compile') {
      const emails = outcome.kind === 'rendered-all' ? outcome.emails.length : 1
      if (tookMs > HEAVY_MS * Math.max(emails, 1)) heavy.set(group, true)
      return
    }
    // The first one of a process loads much; it says nothing of what is compiled.
    if (at.compiler === at.process && tookMs > HEAVY_COMPILATION_MS) suspects.set(group, true)
    at.compiler = at.process
  }

  /** Tries again by itself, so that it is known when processes can be started again, though nobody wants anything rendered. */
  function noteFailedStart(error: unknown): void {
    failedStarts += 1
    failure = error
    clearTimeout(retry)
    const attempt = () => void run({ kind: 'check', key: keyOf(NOTHING), content: NOTHING }).catch(() => undefined)
    if (!closed) retry = setTimeout(attempt, retryMs).unref()
  }

  const run = (message: RenderJob, { owner = message.key, beginBy }: JobOptions = {}): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new RendererClosed())
      const job: Job = { message, group: owner, attempt: 1, givenUp: false, resolve, reject }
      beginBy?.addEventListener('abort', () => {
        if (lanes.some((lane) => lane.job === job)) return
        job.givenUp = true
        reject(new RendererBusy('It would have had to wait'))
      })
      queueOf(job).add(owner, job)
      dispatch()
    })

  /** Says what a job failed of. @throws {RendererBusy} where that was not the job. */
  function reasonOf(outcome: Exclude<Outcome, { kind: Done }>): string {
    switch (outcome.kind) {
      case 'failed':
        return outcome.problem
      case 'late':
        return `took longer than ${deadlineMs / 1000} s`
      case 'memory':
        return `needs more than ${memoryMb} MB of memory`
      case 'busy':
        throw new RendererBusy('The machine is too busy to render the templates; they are tried again')
    }
  }

  return {
    async render(content, variables, options) {
      const message: RenderJob = { kind: 'render', key: keyOf(content), content: pick(content), variables }
      const outcome = await run(message, options)
      if (outcome.kind === 'rendered') return outcome.email
      if (isDone(outcome)) throw new Error(MIXED_UP)
      throw new TemplateError(`${outcome.field}: ${reasonOf(outcome)}`)
    },
    async renderAll(content, variables, options) {
      const emails: (RenderedEmail | TemplateProblem)[] = []
      while (emails.length < variables.length) {
        const rest = variables.slice(emails.length)
        const message: RenderJob = { kind: 'render-all', key: keyOf(content), content: pick(content), variables: rest }
        const outcome = await run(message, options)
        if (outcome.kind === 'rendered-all' && outcome.emails.length > 0) {
          emails.push(...outcome.emails)
          continue
        }
        if (isDone(outcome)) throw new Error(MIXED_UP)
        const problem = reasonOf(outcome)
        if (rest.length === 1) emails.push({ field: outcome.field, problem })
        else {
          // The one in whose midst it was tells alone what is wrong with it.
          const done = 'done' in outcome ? outcome.done : []
          emails.push(...done, ...(await this.renderAll(content, rest.slice(done.length, done.length + 1), options)))
        }
      }
      return emails
    },
    async check(content, options) {
      const outcome = await run({ kind: 'check', key: keyOf(content), content: pick(content) }, options)
      if (outcome.kind === 'checked') return outcome.findings
      if (isDone(outcome)) throw new Error(MIXED_UP)
      return { problems: [{ field: outcome.field, problem: reasonOf(outcome) }], unknownVariables: [] }
    },
    async compile(input, options) {
      const key = createHash('sha256').update(JSON.stringify(input)).digest('base64url')
      const outcome = await run({ kind: 'compile', key, input }, options)
      if (outcome.kind === 'compiled') return outcome.template
      if (isDone(outcome)) throw new Error(MIXED_UP)
      const problems = [{ field: outcome.field, problem: reasonOf(outcome), isOfSource: false }]
      return { content: null, problems, unknownVariables: [] }
    },
    problem() {
      if (closed || failedStarts < FAILED_STARTS) return undefined
      const reason = failure instanceof Error ? failure.message : String(failure)
      return `Processes for templates cannot be started: ${reason}`
    },
    close() {
      closed = true
      clearTimeout(retry)
      const waiting = Object.values(queues).flatMap((queue) => queue.takeAll())
      for (const job of waiting) job.reject(new RendererClosed())
      for (const lane of lanes) lane.process?.end()
      return Promise.resolve()
    },
  }
}

type Done = 'rendered' | 'rendered-all' | 'checked' | 'compiled'
const DONE: readonly Outcome['kind'][] = ['rendered', 'rendered-all', 'checked', 'compiled']
const isDone = (outcome: Outcome): outcome is Extract<Outcome, { kind: Done }> => DONE.includes(outcome.kind)

const MIXED_UP = 'The renderer mixed its jobs up'

const isOfOneEmail = (message: RenderJob): boolean =>
  message.kind === 'render' || (message.kind === 'render-all' && message.variables.length === 1)

/** Whether a process was ended for what its job took. */
const isBlamed = ({ kind }: Outcome): boolean => kind === 'late' || kind === 'memory'

const pick = ({ subject, html, text }: EmailContent): EmailContent => ({ subject, html, text })

/** What a content is known by. A length before each text keeps texts apart. */
function keyOf({ subject, html, text }: EmailContent): string {
  const hash = createHash('sha256')
  for (const part of [subject, html, text]) hash.update(`${part?.length ?? -1}:`).update(part ?? '')
  return hash.digest('base64url')
}
