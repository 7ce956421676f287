import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CompiledTemplate, CompileInput } from './compiled.ts'
import { FairQueue } from './queue.ts'
import { COMPILE_DEADLINE_FACTOR, type Failure, type Outcome, type RenderJob, type Result } from './protocol.ts'
import { RenderProcess } from './render-process.ts'
import {
  RendererBusy,
  RendererClosed,
  TemplateError,
  type EmailContent,
  type RenderedEmail,
  type RenderedTexts,
  type TemplateFindings,
  type TemplateProblem,
  type TemplateText,
  type TemplateVariables,
} from './content.ts'

export interface RendererOptions {
  /** Maximum processor time of one job, in milliseconds. */
  deadlineMs?: number
  /** Maximum wall-clock time of one job in milliseconds, for a busy machine. */
  wallMs?: number
  /** Memory limit of a process's thread. */
  memoryMb?: number
}

export interface JobOptions {
  /** The owner of the template. Jobs wait for jobs of the same owner before they delay others. */
  owner?: string | undefined
  /** Fails the job with {RendererBusy} if it has not started when this is aborted. */
  beginBy?: AbortSignal | undefined
}

export interface Renderer {
  /**
   * Renders an email for a contact.
   *
   * @throws {TemplateError} naming the field, if the template fails; {RendererBusy} if the machine is too busy
   */
  render(content: EmailContent, variables: TemplateVariables, options?: JobOptions): Promise<RenderedEmail>
  /**
   * Renders an email for many contacts, in several short jobs: a failure affects only one contact, and other jobs get turns in
   * between.
   *
   * @returns the emails in order, or the problem of the template if it cannot be rendered for a contact
   * @throws {RendererBusy} if the machine is too busy
   */
  renderAll(
    content: EmailContent,
    variables: readonly TemplateVariables[],
    options?: JobOptions,
  ): Promise<(RenderedEmail | TemplateProblem)[]>
  /**
   * Renders several texts for a contact, without escaping. Together they have the time and memory of one email.
   *
   * @throws {TemplateError} if they exceed the time or the memory; {RendererBusy} if the machine is too busy
   */
  renderTexts(
    texts: readonly TemplateText[],
    variables: TemplateVariables,
    options?: JobOptions,
  ): Promise<RenderedTexts>
  /**
   * Test-renders the templates of an email. @returns the problems by field, empty if there are none
   *
   * @throws {RendererBusy} if the machine is too busy
   */
  check(content: EmailContent, options?: JobOptions): Promise<TemplateFindings>
  /**
   * Compiles one language of a template. @returns the content to render for each recipient, or the problems
   * @throws {RendererBusy} if the machine is too busy
   */
  compile(input: CompileInput, options?: JobOptions): Promise<CompiledTemplate>
  /** Returns an error while processes cannot be started. The renderer keeps trying. */
  problem(): string | undefined
  /** Ends the processes. Jobs in progress fail. */
  close(): Promise<void>
}

const SUSPECT_MS = 10 * 60_000
const MAX_REMEMBERED_KEYS = 10_000

/**
 * Wall-clock milliseconds of a job, or of one email of many, after which its owner gets only one process at a time for a while.
 * Two would occupy the machine.
 */
const HEAVY_MS = 100
/** The same limit for a compilation by a process that has loaded the libraries. Its owner becomes a suspect. */
const HEAVY_COMPILATION_MS = 1_000
const HEAVY_FOR_MS = 60_000

/** The number of consecutive failed starts that is reported as a problem. */
const FAILED_STARTS = 3
const RETRY_MS = 5_000
/** Content that is rendered to check whether a process can be started. */
const NOTHING: EmailContent = { subject: '', html: null, text: null }

interface Job {
  message: RenderJob
  group: string
  attempt: number
  /** Set when the caller no longer waits for it. */
  isAbandoned: boolean
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** A slot for a process, which is started on demand and kept. */
interface Lane {
  process: RenderProcess | undefined
  /** The process of this slot that has compiled something, and so has loaded the libraries. */
  compiler: RenderProcess | undefined
  /** The job in progress. */
  job: Job | undefined
  queues: readonly FairQueue<Job>[]
}

/**
 * Renders templates, which are untrusted programs, in processes that can be ended. Jobs wait in three queues: for templates
 * that were rendered before, for others, and for suspects, which exceeded a limit or broke a process recently, or whose owner
 * had one that exceeded a limit. The first queue has a process of its own, and the last only one. So any template delays the
 * others by at most one deadline, once. Owners of slow templates that stay within the limits get one process at a time.
 * Deadlines are processor time: on a busy machine, an email is late, but does not fail.
 */
export function createRenderer({
  deadlineMs = 1_000,
  wallMs = 15_000,
  memoryMb = 128,
}: RendererOptions = {}): Renderer {
  const proven = new LRUCache<string, true>({ max: MAX_REMEMBERED_KEYS })
  const suspects = new LRUCache<string, true>({ max: MAX_REMEMBERED_KEYS, ttl: SUSPECT_MS })
  const heavy = new LRUCache<string, true>({ max: MAX_REMEMBERED_KEYS, ttl: HEAVY_FOR_MS })
  const queues = { proven: new FairQueue<Job>(), fresh: new FairQueue<Job>(), suspect: new FairQueue<Job>() }
  const lane = (...ofLane: FairQueue<Job>[]): Lane => ({
    process: undefined,
    compiler: undefined,
    job: undefined,
    queues: ofLane,
  })
  const lanes = [lane(queues.proven), lane(queues.fresh, queues.proven), lane(queues.suspect)]
  let isClosed = false
  let failedStarts = 0
  let failure: unknown
  let retry: NodeJS.Timeout | undefined

  const canRun = (owner: string) => !heavy.has(owner) || lanes.every(({ job }) => job?.group !== owner)
  const isSuspect = ({ message, group }: Job) => suspects.has(message.key) || suspects.has(group)
  const queueOf = (job: Job) =>
    isSuspect(job) ? queues.suspect : proven.has(job.message.key) ? queues.proven : queues.fresh

  function next({ queues: ofLane }: Lane): Job | undefined {
    for (const queue of ofLane) {
      for (let job = queue.take(canRun); job; job = queue.take(canRun)) {
        if (job.isAbandoned) continue
        // The job may have become suspect while it waited.
        if (queue === queues.suspect || !isSuspect(job)) return job
        queues.suspect.add(job.group, job)
      }
    }
    return undefined
  }

  function dispatch(): void {
    // Running processes first, before any are started. The slot of the suspects comes last, because `next` adds to its queue.
    for (const isStarted of [true, false]) {
      for (const at of lanes) {
        if (at.job || (at.process !== undefined && !at.process.isEnded) !== isStarted) continue
        const job = next(at)
        if (job) void work(at, job)
      }
    }
  }

  async function work(at: Lane, job: Job): Promise<void> {
    at.job = job
    try {
      // A second attempt gets a new process, so that earlier jobs cannot be the cause of its failure.
      if (job.attempt > 1) at.process?.end()
      if (!at.process || at.process.isEnded) {
        // An error of the new process is not an error of the old one.
        at.process = undefined
        at.process = new RenderProcess({ deadlineMs, wallMs, memoryMb })
      }
      // The first job's time includes the start of the process.
      const since = at.process.isStarted ? performance.now() : Infinity
      const outcome = await at.process.run(job.message)
      noteTime(at, job, outcome, performance.now() - since)
      failedStarts = 0
      if (
        outcome.kind === 'render-all' ||
        (outcome.kind === 'render-texts' && 'texts' in outcome.rendered) ||
        (outcome.kind === 'check' && outcome.findings.problems.length === 0)
      ) {
        proven.set(job.message.key, true)
      }
      if (isBlamed(outcome)) {
        suspects.set(job.message.key, true)
        // Earlier jobs share the memory of a process, so a first failure proves nothing about the owner.
        if (outcome.kind === 'late' || job.attempt > 1) suspects.set(job.group, true)
      }
      // A failed email is final, but processor time varies with cold or shared caches. So the job gets a second attempt.
      if (
        isBlamed(outcome) &&
        job.attempt === 1 &&
        !isClosed &&
        (isOfOneEmail(job.message) || outcome.kind === 'memory')
      ) {
        job.attempt = 2
        queues.suspect.add(job.group, job)
      } else {
        job.resolve(outcome)
      }
    } catch (error) {
      if (isClosed) return job.reject(new RendererClosed())
      if (at.process?.isStarted === true) suspects.set(job.message.key, true)
      else noteFailedStart(error)
      job.reject(new RendererBusy('The template renderer stopped unexpectedly. Try again.', { cause: error }))
    } finally {
      at.job = undefined
      if (!isClosed) dispatch()
    }
  }

  function noteTime(at: Lane, { message, group }: Job, outcome: Outcome, tookMs: number): void {
    if (message.kind !== 'compile') {
      const emails = outcome.kind === 'render-all' ? outcome.emails.length : 1
      if (tookMs > HEAVY_MS * Math.max(emails, 1)) heavy.set(group, true)
      return
    }
    // The first compilation of a process loads the libraries, so its time does not measure the template.
    if (at.compiler === at.process && tookMs > HEAVY_COMPILATION_MS) suspects.set(group, true)
    at.compiler = at.process
  }

  /** Schedules a test job, so that a recovery is noticed even if no job arrives. */
  function noteFailedStart(error: unknown): void {
    failedStarts += 1
    failure = error
    clearTimeout(retry)
    const attempt = () => void run({ kind: 'check', key: keyOf(NOTHING), content: NOTHING }).catch(() => undefined)
    if (!isClosed) retry = setTimeout(attempt, RETRY_MS).unref()
  }

  const run = <Message extends RenderJob>(
    message: Message,
    { owner = message.key, beginBy }: JobOptions = {},
  ): Promise<ResultOf<Message> | Failure> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new RendererClosed())
      // A process runs one job at a time, so the result is that of this job.
      const resolveTyped = (outcome: Outcome) => resolve(outcome as ResultOf<Message> | Failure)
      const job: Job = { message, group: owner, attempt: 1, isAbandoned: false, resolve: resolveTyped, reject }
      beginBy?.addEventListener('abort', () => {
        if (lanes.some((lane) => lane.job === job)) return
        job.isAbandoned = true
        reject(new RendererBusy('No renderer process was free'))
      })
      queueOf(job).add(owner, job)
      dispatch()
    })

  /** Explains why a job failed. @throws {RendererBusy} if it was not the job's fault */
  function reasonOf({ kind }: Failure, factor = 1): string {
    switch (kind) {
      case 'late':
        return `took longer than ${(factor * deadlineMs) / 1000} s`
      case 'memory':
        return `needs more than ${memoryMb} MB of memory`
      case 'busy':
        throw new RendererBusy('The machine is too busy to render templates. Try again later.')
    }
  }

  return {
    async render(content, variables, options) {
      const [email] = await this.renderAll(content, [variables], options)
      if ('problem' in email!) throw new TemplateError(`${email.field}: ${email.problem}`)
      return email!
    },
    async renderAll(content, variables, options) {
      const emails: (RenderedEmail | TemplateProblem)[] = []
      const job = { kind: 'render-all', key: keyOf(pick(content)), content: pick(content) } as const
      while (emails.length < variables.length) {
        const rest = variables.slice(emails.length)
        const outcome = await run({ ...job, variables: rest }, options)
        if (!isFailure(outcome)) {
          emails.push(...outcome.emails)
          continue
        }
        const { field, done } = outcome
        const problem = reasonOf(outcome)
        if (rest.length === 1) emails.push({ field, problem })
        // The email in progress is rendered again, alone, to report its own problem.
        else emails.push(...done, ...(await this.renderAll(content, rest.slice(done.length, done.length + 1), options)))
      }
      return emails
    },
    async renderTexts(texts, variables, options) {
      const outcome = await run({ kind: 'render-texts', key: keyOf(texts), texts, variables }, options)
      if (isFailure(outcome)) throw new TemplateError(reasonOf(outcome))
      return outcome.rendered
    },
    async check(content, options) {
      const outcome = await run({ kind: 'check', key: keyOf(pick(content)), content: pick(content) }, options)
      if (!isFailure(outcome)) return outcome.findings
      return { problems: [{ field: outcome.field, problem: reasonOf(outcome) }], variables: [], unknownVariables: [] }
    },
    async compile(input, options) {
      const outcome = await run({ kind: 'compile', key: keyOf(input), input }, options)
      if (!isFailure(outcome)) return outcome.template
      const problem = reasonOf(outcome, COMPILE_DEADLINE_FACTOR)
      const problems = [{ field: outcome.field, problem, isOfSource: false }]
      return { content: null, problems, warnings: [], variables: [], unknownVariables: [] }
    },
    problem() {
      if (isClosed || failedStarts < FAILED_STARTS) return undefined
      const reason = failure instanceof Error ? failure.message : String(failure)
      return `Renderer processes cannot be started: ${reason}`
    },
    close() {
      isClosed = true
      clearTimeout(retry)
      const waiting = Object.values(queues).flatMap((queue) => queue.takeAll())
      for (const job of waiting) job.reject(new RendererClosed())
      for (const lane of lanes) lane.process?.end()
      return Promise.resolve()
    },
  }
}

type ResultOf<Message extends RenderJob> = Extract<Result, { kind: Message['kind'] }>

const isFailure = (outcome: Outcome): outcome is Failure =>
  outcome.kind === 'late' || outcome.kind === 'memory' || outcome.kind === 'busy'

const isOfOneEmail = (message: RenderJob): boolean =>
  message.kind === 'render-texts' || (message.kind === 'render-all' && message.variables.length === 1)

/** Checks whether a process was ended because of its job. */
const isBlamed = ({ kind }: Outcome): boolean => kind === 'late' || kind === 'memory'

const pick = ({ subject, html, text }: EmailContent): EmailContent => ({ subject, html, text })

/** The key of anything that can be written as JSON. */
const keyOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')
