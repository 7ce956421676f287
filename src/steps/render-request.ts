import type { StoredStep } from '../automation-engine/index.ts'
import { mapTemplates, type TextPath, webhookTemplates } from '../automations/index.ts'
import { contactVariables, readGroups, readRecipients } from '../contacts/index.ts'
import { abortAfter } from '../platform/abort.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type Renderer, TemplateError, type TemplateVariables, usesGroups } from '../rendering/index.ts'
import type { StepContext } from './queries.ts'

type StoredWebhook = Extract<StoredStep, { type: 'WEBHOOK' }>

/** The parts of a request that templates can change. */
export interface RenderedRequest {
  headers: Record<string, string>
  /** JSON; `null` for none. */
  body: string | null
}

/** Maximum size of a rendered body. */
const MAX_BODY_BYTES = 256 * 1024
/** Milliseconds that a webhook waits for a renderer, while it occupies a worker's slot. */
const RENDER_SOON_MS = 3_000
/** Characters of a header's value that each server accepts. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/**
 * Renders the templates of a webhook for the contact.
 *
 * @returns the request, or the problem, which can repeat data of the contact
 * @throws {RendererBusy} if the machine is too busy
 */
export async function renderRequest(
  { em, renderer }: { em: EntityManager; renderer: Renderer },
  context: StepContext & { step: StoredWebhook },
): Promise<RenderedRequest | { problem: string }> {
  const { step, workspaceId } = context
  const templates = webhookTemplates(step)
  const variables = templates.length > 0 ? await variablesFor(em, context, templates) : undefined
  // The contact is deleted: the claim of the attempt fails.
  if (!variables) return { headers: step.headers, body: step.body === null ? null : JSON.stringify(step.body) }
  const late = abortAfter(RENDER_SOON_MS, 'No renderer was free')
  try {
    const rendered = await renderer.renderTexts(templates, variables, { owner: workspaceId, beginBy: late.signal })
    if ('problem' in rendered) return { problem: `${nameOf(templates[rendered.index]!.path)}: ${rendered.problem}` }
    const texts = rendered.texts[Symbol.iterator]()
    const next = (): string => texts.next().value!
    const headers = mapTemplates(step.headers, next) as Record<string, string>
    const invalid = Object.keys(headers).find((name) => !HEADER_VALUE.test(headers[name]!))
    if (invalid !== undefined) return { problem: `headers.${invalid}: becomes a text with other characters than ASCII` }
    const body = step.body === null ? null : JSON.stringify(mapTemplates(step.body, next))
    if (body !== null && Buffer.byteLength(body) > MAX_BODY_BYTES)
      return { problem: `body: becomes larger than ${MAX_BODY_BYTES / 1024} KB` }
    return { headers, body }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { problem: `body: ${error.message}` }
  } finally {
    late.forget()
  }
}

/** @returns `undefined` if the contact is deleted */
async function variablesFor(
  em: EntityManager,
  { workspaceId, contactId, event, stepData }: StepContext,
  templates: readonly { source: string }[],
): Promise<TemplateVariables | undefined> {
  const recipient = (await readRecipients(em.fork(), workspaceId, [contactId])).get(contactId)
  if (!recipient) return undefined
  const groups = templates.some(({ source }) => usesGroups(source))
    ? (await readGroups(em.fork(), workspaceId, [contactId])).get(contactId)
    : undefined
  return { ...contactVariables(contactId, { ...recipient, ...groups }), event, steps: stepData }
}

const nameOf = (path: TextPath): string => path.join('.')
