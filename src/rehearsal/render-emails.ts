import type { Rehearsable } from '../automations/index.ts'
import type { ApiDependencies, Visitor } from '../http/index.ts'
import { contentFor, recipientOf, renderFor } from '../templates/index.ts'
import type { Caller } from '../workspaces/index.ts'
import type { RehearsedEmail } from './rehearse-contact.ts'

/** The emails that are rendered at most. Each takes some milliseconds. */
const MAX_RENDERED = 50

/** An email as the contact would get it, or what is wrong with its template. */
export interface RenderedStep {
  stepId: string
  /** Milliseconds since 1970. */
  at: number
  subject: string | null
  html: string | null
  text: string | null
  problem: string | null
}

/** Renders the emails of a contact with what their templates could print at that time. @throws {ApiError} `busy` */
export async function renderEmails(
  dependencies: ApiDependencies,
  request: { caller: Caller; visitor: Visitor },
  { contactId, emails }: { contactId: string; emails: readonly RehearsedEmail[] },
  automation: Rehearsable,
): Promise<RenderedStep[]> {
  const rendered: RenderedStep[] = []
  const categories = new Map(
    automation.steps.map((step) => [step.id, step.type === 'EMAIL' ? step.category : undefined]),
  )
  for (const { stepId, at, contact, event, stepData } of emails.slice(0, MAX_RENDERED)) {
    const category = categories.get(stepId) ?? 'marketing'
    const recipient = await recipientOf(dependencies, request, { contactId, category })
    const { translations, ...own } = automation.emails.get(stepId)!
    const { content } = contentFor({ content: own, translations }, contact.metadata['locale'])
    const shown = { ...recipient, contact: { ...recipient.contact, ...contact }, steps: stepData }
    const of = { ...shown, ...(event && { event }) }
    const result = await renderFor(dependencies.renderer, request.caller.workspace.id, content!, of)
    rendered.push(
      'problem' in result
        ? { stepId, at, subject: null, html: null, text: null, problem: `${result.field}: ${result.problem}` }
        : { stepId, at, ...result, problem: null },
    )
  }
  return rendered
}
