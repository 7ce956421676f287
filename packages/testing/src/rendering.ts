import type { StoredStep } from '../../../src/automation-engine/index.ts'
import type { Rehearsable } from '../../../src/automations/index.ts'
import { contactVariables } from '../../../src/contacts/index.ts'
// It is not in the index, because Dripline runs it in a process of its own.
import { check, render } from '../../../src/rendering/engine.ts'
import type { RehearsedContact, RehearsedEmail } from '../../../src/rehearsal/index.ts'
import { contentFor } from '../../../src/templates/index.ts'

type EmailStep = Extract<StoredStep, { type: 'EMAIL' }>
interface Rendered {
  subject: string
  html: string | null
  text: string | null
}

const UNSUBSCRIBE_URL = 'https://dripline.test/unsubscribe'
const CONFIRM_URL = 'https://dripline.test/confirm'
const none = () => undefined

/** Returns the part of an email that is rendered: the HTML of a template is not compiled. */
const renderable = (content: Rendered, { template }: EmailStep): Rendered =>
  template ? { ...content, html: null } : content

/** The key of the cache of parsed templates, which all workspaces of a process share. */
const keyOf = (source: Rendered): string => JSON.stringify(source)

/** Checks the templates of an automation's emails. @throws {Error} */
export function checkEmails({ steps, emails }: Rehearsable): void {
  for (const step of steps) {
    if (step.type !== 'EMAIL') continue
    const { subject, html, text } = emails.get(step.id)!
    const source = renderable({ subject, html, text }, step)
    const [found] = check(source, keyOf(source), none).problems
    if (found) throw new Error(`the ${found.field} of the email "${step.name ?? subject}" ${found.problem}`)
  }
}

/** The values that the templates of an email can print, beside those of the rehearsal. */
export interface Printed {
  /** The contact when the email is sent. */
  contact: RehearsedContact
  /** The names of the lists of the contact. */
  lists: readonly string[]
  timezone: string
}

/** Renders an email as the contact would get it. */
export function renderEmail(
  step: EmailStep,
  { emails }: Rehearsable,
  { contact: { firstName, metadata }, event, stepData }: RehearsedEmail,
  { contact, lists, timezone }: Printed,
): Rendered {
  const { translations, ...own } = emails.get(step.id)!
  const { content } = contentFor({ content: own, translations }, metadata['locale'])
  const variables = {
    ...contactVariables(contact.id, {
      ...{ email: contact.email, firstName, externalId: null, metadata, timezone, lists },
      ...{ createdAt: new Date(contact.createdAt), tags: [...contact.tags] },
    }),
    ...{ steps: stepData, unsubscribeUrl: UNSUBSCRIBE_URL, confirmUrl: CONFIRM_URL },
    ...(event && { event: { name: event.name, data: event.data ?? {} } }),
  }
  const source = renderable(content!, step)
  const rendered = render(source, variables, keyOf(source), none)
  return step.template ? { ...rendered, html: content!.html } : rendered
}
