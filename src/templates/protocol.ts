import type { EmailContent, RenderedEmail, TemplateProblem, TemplateVariables } from './content.ts'

/** What a thread is told. `key` is what the content is known by: parsed templates are kept under it. */
export type ThreadJob =
  | { kind: 'render'; key: string; content: EmailContent; variables: TemplateVariables }
  | { kind: 'check'; key: string; content: EmailContent }

/** What it says: once that it is there, and then to each job one of the others. */
export type ThreadAnswer =
  | { kind: 'ready' }
  | { kind: 'rendered'; email: RenderedEmail }
  | { kind: 'checked'; problems: TemplateProblem[] }
  | { kind: 'failed'; field: keyof EmailContent; problem: string }

/** How a job ended: as the thread says, or by the thread's end. */
export type Outcome = Exclude<ThreadAnswer, { kind: 'ready' }> | ThreadDeath

/** `late` past the deadline, `memory` out of it: each is about the job. `busy` is about the machine. */
export interface ThreadDeath {
  kind: 'late' | 'memory' | 'busy'
  field: keyof EmailContent
}
