import type { CompiledTemplate, CompileInput } from './compiled.ts'
import type { Allowance } from './deadline.ts'
import type { EmailContent, RenderedEmail, TemplateFindings, TemplateProblem, TemplateVariables } from './content.ts'

/** In the order in which they are rendered, and known by their places: `thread.ts` writes the one in progress. */
export const FIELDS = ['subject', 'html', 'text'] as const satisfies readonly (keyof EmailContent)[]

/** Where a process writes which field it is at. The descriptors before it are the usual ones, and the channel. */
export const PROGRESS_FD = 4

/** How long a job of many begins further emails, in milliseconds. */
export const PART_MS = 200

/** What a process is started with. */
export interface RenderProcessOptions extends Allowance {
  /** Of its thread. */
  memoryMb: number
}

/** What a process is told. `key` is what the content is known by: parsed templates are kept under it. */
export type RenderJob =
  | { kind: 'render'; key: string; content: EmailContent; variables: TemplateVariables }
  | { kind: 'render-all'; key: string; content: EmailContent; variables: readonly TemplateVariables[] }
  | { kind: 'check'; key: string; content: EmailContent }
  | { kind: 'compile'; key: string; input: CompileInput }

/** What becomes of a job that comes to its end, whatever it finds. */
export type Result =
  | { kind: 'rendered'; email: RenderedEmail }
  | { kind: 'rendered-all'; emails: (RenderedEmail | TemplateProblem)[] }
  | { kind: 'checked'; findings: TemplateFindings }
  | { kind: 'compiled'; template: CompiledTemplate }
  | { kind: 'failed'; field: keyof EmailContent; problem: string }

/** What becomes of one that does not: past the deadline or out of memory, which is about the job, or `busy`, about the machine. */
export type Death = 'late' | 'memory' | 'busy'

/**
 * One email of many, told while the next one is rendered: `rendered-all` comes behind the last of them, and has none itself. A job of many ends
 * when it took `PART_MS`, though there are more: others wait for their turns.
 */
export interface RenderedOne {
  kind: 'rendered-one'
  email: RenderedEmail | TemplateProblem
}

/** What a process says: once that it is there, and then to each job one of the others. `broken` is about itself. */
export type ProcessAnswer =
  { kind: 'ready' } | { kind: 'broken'; problem: string } | RenderedOne | Result | { kind: Death }

/** How a job ended: as it says itself, or by the end of its process. `done` are the emails before the one in whose midst that was. */
export type Outcome = Result | { kind: Death; field: keyof EmailContent; done: RenderedOne['email'][] }
