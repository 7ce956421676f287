import { CONTACT_PARAM, CONTACT_NOT_FOUND, contactVariables, readGroups, readRecipients } from '../contacts/index.ts'
import { type ApiDependencies, missingScope, type Visitor } from '../http/index.ts'
import { readPublicUrl } from '../instance/index.ts'
import type { EmailCategory } from '../automation-engine/index.ts'
import { type FooterOptions, languageOf, withFooter } from '../messages/index.ts'
import { ApiError } from '../platform/api-error.ts'
import {
  type EmailContent,
  type RenderedEmail,
  type Renderer,
  TemplateError,
  type TemplateKind,
  type TemplateProblem,
  type TemplateVariables,
  type UnknownVariable,
} from '../rendering/index.ts'
import { readSender } from '../senders/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { type Compilation, contentFor, placeOf } from './compile-template.ts'
import { mjmlOf } from './design.ts'
import type { WrittenTemplate } from './entities.ts'
import { withRenderErrors } from './with-render-errors.ts'
import { linksIn, lintTemplate } from './lint.ts'

const SAMPLE_CONTACT: TemplateVariables['contact'] = {
  id: '01a21afd-70ae-7263-bbfa-afc14d725316',
  externalId: '4711',
  email: 'ada@example.com',
  firstName: 'Ada',
  metadata: {},
  tags: ['vip'],
  lists: ['Newsletter'],
  createdAt: '2026-11-27T08:00:00.000Z',
}

/** The contact of a preview, their time zone, and pages that belong to no contact. */
export interface Previewed
  extends
    Pick<TemplateVariables, 'contact' | 'timezone' | 'locale'>,
    Required<Pick<TemplateVariables, 'unsubscribeUrl' | 'confirmUrl'>> {
  /** The footer that Dripline appends to a marketing email. */
  footer?: FooterOptions | undefined
}

/**
 * Returns the contact of a preview. Requires the scope to read contacts, because the preview shows their data. @throws {ApiError}
 * `contact_not_found`; `scope_missing`
 */
export async function recipientOf(
  { em, publicUrl }: Pick<ApiDependencies, 'em' | 'publicUrl'>,
  { caller, visitor }: { caller: Caller; visitor: Visitor },
  { contactId, category }: { contactId?: string | undefined; category?: EmailCategory | undefined },
): Promise<Previewed> {
  const workspaceId = caller.workspace.id
  const base = publicUrl ?? (await readPublicUrl(em.fork())) ?? visitor.origin
  const pages = { unsubscribeUrl: `${base}/unsubscribe/preview`, confirmUrl: `${base}/confirm/preview` }
  const shown = contactId === undefined ? { contact: SAMPLE_CONTACT } : await readVariables(em, caller, contactId)
  if (category !== 'marketing') return { ...shown, ...pages }
  const language = languageOf(shown.contact.metadata['locale'])
  const sender = await readSender(em.fork(), workspaceId)
  return {
    ...shown,
    ...pages,
    footer: { url: pages.unsubscribeUrl, language, postalAddress: sender?.postalAddress ?? null },
  }
}

async function readVariables(em: ApiDependencies['em'], caller: Caller, contactId: string) {
  if (!caller.scopes.includes('contacts:read'))
    throw new ApiError(missingScope('contacts:read'), { param: '/contactId' })
  const workspaceId = caller.workspace.id
  const id = await CONTACT_PARAM.resolve(em, caller, contactId)
  const recipient = id === undefined ? undefined : (await readRecipients(em.fork(), workspaceId, [id])).get(id)
  if (id === undefined || !recipient) throw new ApiError(CONTACT_NOT_FOUND, { param: '/contactId' })
  return contactVariables(id, { ...recipient, ...(await readGroups(em.fork(), workspaceId, [id])).get(id) })
}

export interface ForWhom extends Previewed {
  event?: { name: string; data?: unknown } | undefined
  /** The responses that webhooks saved, by name. */
  steps?: Readonly<Record<string, unknown>>
  locale?: string | undefined
}

/** Renders a template for a contact. @throws {ApiError} `busy` */
export async function previewTemplate(
  { renderer }: Pick<ApiDependencies, 'renderer'>,
  owner: string,
  { compiled, problems, warnings, unknownVariables }: Compilation,
  written: WrittenTemplate,
  { locale: wanted, ...forWhom }: ForWhom,
) {
  const { contact, unsubscribeUrl } = forWhom
  const { content, locale } = contentFor(compiled, wanted ?? contact.metadata['locale'])
  const design = (locale === null ? undefined : written.translations[locale]?.design) ?? written.design
  const found = {
    to: contact.email,
    locale,
    mjml: design ? mjmlOf(design).mjml : null,
    unknownVariables: presentUnknownVariables(unknownVariables),
  }
  const nothing = { subject: null, html: null, text: null, bytes: 0, links: [], warnings: [] }
  const messages = problems.map(({ field, problem }) => ({ field, ...placeOf(problem), problem }))
  if (messages.length > 0 || content === null) return { ...found, ...nothing, problems: messages }
  const rendered = await renderFor(renderer, owner, content, forWhom)
  if ('problem' in rendered) {
    const { field, problem } = rendered
    return { ...found, ...nothing, problems: [{ field, ...placeOf(problem), problem }] }
  }
  return {
    ...found,
    ...rendered,
    bytes: Buffer.byteLength(rendered.html ?? ''),
    links: linksIn(rendered),
    warnings: [
      ...warnings.map(({ problem }) => ({ code: 'mjml', message: problem, ...placeOf(problem) })),
      ...lintTemplate(rendered, unsubscribeUrl).map((warning) => ({ ...warning, line: null, column: null })),
    ],
    problems: [],
  }
}

/**
 * Finds unknown variables of a saved email. Saving it returned them as warnings, and previews repeat them. @throws {ApiError}
 * `busy`
 */
export async function findUnknownVariablesIn(
  renderer: Renderer,
  owner: string,
  kind: TemplateKind,
  content: EmailContent | null,
): Promise<UnknownVariable[]> {
  return kind === 'EMAIL' && content
    ? (await withRenderErrors(renderer.check(content, { owner }))).unknownVariables
    : []
}

/** Renders an email, or returns the problem of its template. @throws {ApiError} `busy` */
export async function renderFor(
  renderer: Renderer,
  owner: string,
  content: EmailContent,
  { contact, timezone, unsubscribeUrl, confirmUrl, event, footer, steps = {} }: Omit<ForWhom, 'locale'>,
): Promise<RenderedEmail | TemplateProblem> {
  const variables = {
    contact,
    timezone,
    steps,
    unsubscribeUrl,
    confirmUrl,
    ...(event && { event: { name: event.name, data: event.data ?? {} } }),
  }
  try {
    const rendered = await withRenderErrors(renderer.render(content, variables, { owner }))
    return footer ? withFooter(rendered, footer) : rendered
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const [, field = 'html', problem = error.message] = /^(subject|html|text):? (.*)$/s.exec(error.message) ?? []
    return { field: field as 'html', problem }
  }
}

export const presentUnknownVariables = (unknownVariables: readonly UnknownVariable[]) =>
  unknownVariables.map(({ nearest, ...unknown }) => ({ ...unknown, nearest: nearest ?? null }))
