import { CONTACT, CONTACT_NOT_FOUND, getContact } from '../contacts/index.ts'
import { type ApiDependencies, missingScope } from '../http/index.ts'
import { BUSY, Refusal } from '../platform/refusal.ts'
import { type EmailContent, RendererBusy, TemplateError, type TemplateVariables } from '../rendering/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { type Compilation, contentFor, placeOf } from './compile-template.ts'
import { linksIn, slipsOf } from './slips.ts'

export const SOMEBODY: TemplateVariables['contact'] = { email: 'ada@example.com', firstName: 'Ada', metadata: {} }

/** Where a preview's recipient would unsubscribe: nobody's. */
export const SOME_URL = 'https://mail.example.com/unsubscribe/preview'

/** For whom a preview is: what it shows of a contact, only those may see who may read contacts. @throws {Refusal} `contact_not_found`; `scope_missing` */
export async function recipientOf(
  em: ApiDependencies['em'],
  caller: Caller,
  contactId: string | undefined,
): Promise<TemplateVariables['contact']> {
  if (contactId === undefined) return SOMEBODY
  if (!caller.scopes.includes('contacts:read'))
    throw new Refusal(missingScope('contacts:read'), { param: '/contactId' })
  const id = await CONTACT.resolve(em, caller, contactId)
  if (id === undefined) throw new Refusal(CONTACT_NOT_FOUND, { param: '/contactId' })
  const { email, firstName, metadata } = await getContact(em, caller.workspace.id, id)
  return { email, firstName, metadata }
}

export interface ForWhom {
  contact: TemplateVariables['contact']
  event?: { name: string; data?: unknown } | undefined
  locale?: string | undefined
}

/** A template as somebody would get it. @throws {Refusal} `busy` */
export async function previewTemplate(
  { renderer }: Pick<ApiDependencies, 'renderer'>,
  owner: string,
  { compiled, problems, unknownVariables }: Compilation,
  { contact, event, locale: wanted }: ForWhom,
) {
  const { content, locale } = contentFor(compiled, wanted ?? contact.metadata['locale'])
  const found = {
    to: contact.email,
    locale,
    unknownVariables: unknownVariables.map(({ nearest, ...unknown }) => ({ ...unknown, nearest: nearest ?? null })),
  }
  const nothing = { subject: null, html: null, text: null, bytes: 0, links: [], warnings: [] }
  const told = problems.map(({ field, problem }) => ({ field, ...placeOf(problem), problem }))
  if (told.length > 0 || content === null) return { ...found, ...nothing, problems: told }
  const variables = {
    contact,
    unsubscribeUrl: SOME_URL,
    ...(event && { event: { name: event.name, data: event.data ?? {} } }),
  }
  try {
    const rendered = await render(renderer, content, variables, owner)
    return {
      ...found,
      ...rendered,
      bytes: Buffer.byteLength(rendered.html ?? ''),
      links: linksIn(rendered),
      warnings: slipsOf(rendered, SOME_URL),
      problems: [],
    }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const [, field = 'html', problem = error.message] = /^(subject|html|text):? (.*)$/s.exec(error.message) ?? []
    return { ...found, ...nothing, problems: [{ field: field as 'html', ...placeOf(problem), problem }] }
  }
}

/** @throws {TemplateError}; {Refusal} `busy` */
export async function render(
  renderer: ApiDependencies['renderer'],
  content: EmailContent,
  variables: TemplateVariables,
  owner: string,
) {
  try {
    return await renderer.render(content, variables, { owner })
  } catch (error) {
    throw error instanceof RendererBusy ? new Refusal(BUSY, { message: error.message, cause: error }) : error
  }
}
