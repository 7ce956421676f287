import type { CompiledTemplate, CompileInput } from './compiled.ts'
import type { Allowance } from './deadline.ts'
import type {
  EmailContent,
  RenderedEmail,
  RenderedTexts,
  TemplateFindings,
  TemplateProblem,
  TemplateText,
  TemplateVariables,
} from './content.ts'

/** The fields in the order in which they are rendered. `thread.ts` writes the index of the one in progress. */
export const FIELDS = ['subject', 'html', 'text'] as const satisfies readonly (keyof EmailContent)[]

/** The descriptor to which a process writes the field in progress. The ones before it are standard streams and the channel. */
export const PROGRESS_FD = 4

/**
 * The deadline of a compilation, as a multiple of the deadline for rendering. A compilation happens once per version, and
 * includes loading the libraries.
 */
export const COMPILE_DEADLINE_FACTOR = 5

/** Milliseconds during which a job of many emails starts another one. */
export const MAX_BATCH_MS = 200

/** The options of a renderer process. */
export interface RenderProcessOptions extends Allowance {
  /** Memory limit of its thread. */
  memoryMb: number
}

/** A job for a renderer process. `key` identifies the content: parsed templates are cached under it. */
export type RenderJob =
  | { kind: 'render-all'; key: string; content: EmailContent; variables: readonly TemplateVariables[] }
  | { kind: 'render-texts'; key: string; texts: readonly TemplateText[]; variables: TemplateVariables }
  | { kind: 'check'; key: string; content: EmailContent }
  | { kind: 'compile'; key: string; input: CompileInput }

/** The result of a job that completed, whatever it found. It has the kind of its job. */
export type Result =
  | { kind: 'render-all'; emails: (RenderedEmail | TemplateProblem)[] }
  | { kind: 'render-texts'; rendered: RenderedTexts }
  | { kind: 'check'; findings: TemplateFindings }
  | { kind: 'compile'; template: CompiledTemplate }

/** The reason why a job did not complete: past its deadline or out of memory, because of the job, or `busy`, because of the machine. */
export type ProcessFailure = 'late' | 'memory' | 'busy'

/**
 * One email of many, sent while the next one is rendered. `render-all` follows the last of them, and contains no email itself.
 * A job of many ends after `MAX_BATCH_MS` even if more emails are left, so that other jobs get a turn.
 */
export interface RenderedOne {
  kind: 'rendered-one'
  email: RenderedEmail | TemplateProblem
}

/** A message of a process: `ready` once, then a response to each job. `broken` is a failure of the process itself. */
export type ProcessResponse =
  { kind: 'ready' } | { kind: 'broken'; problem: string } | RenderedOne | Result | { kind: ProcessFailure }

/** The end of a process during a job. `done` are the emails that were rendered before. */
export interface Failure {
  kind: ProcessFailure
  field: keyof EmailContent
  done: RenderedOne['email'][]
}

/** The outcome of a job: its result, or the end of its process. */
export type Outcome = Result | Failure
