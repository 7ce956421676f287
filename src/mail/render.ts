import { Liquid, LiquidError, type Template } from 'liquidjs'
import type { EmailStep } from '../domain/steps.ts'

/** What a template can name: `{{ contact.email }}`, `{{ contact.firstName }}`, `{{ contact.metadata.plan }}`. */
export interface TemplateVariables {
  contact: { email: string; firstName: string | null; metadata: Record<string, unknown> }
}

export interface RenderedEmail {
  subject: string
  html: string | null
  text: string | null
}

/** A template that can't be parsed or rendered. The message says what is wrong, and where in the template. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** A template comes from a user: what it may cost is bounded (LiquidJS has no limits by default). */
const LIMITS = { parseLimit: 500_000, renderLimit: 2_000, memoryLimit: 10_000_000 }

const COMMON = { ...LIMITS, ownPropertyOnly: true, strictFilters: true, root: [], partials: [], layouts: [] }

/** Values are escaped in HTML, so that nobody's first name can write markup; `{{ value | raw }}` is for trusted HTML. */
const html = new Liquid({ ...COMMON, outputEscape: 'escape' })
const plain = new Liquid(COMMON)

/** Checks the templates of a step. @returns what is wrong, by field; empty when all is well. */
export function checkTemplates(
  step: Pick<EmailStep, 'subject' | 'html' | 'text'>,
): { field: string; problem: string }[] {
  const problems: { field: string; problem: string }[] = []
  for (const [field, engine, source] of templatesOf(step)) {
    try {
      engine.parse(source)
    } catch (error) {
      problems.push({ field, problem: explain(error) })
    }
  }
  return problems
}

/** Renders a step for a contact. @throws {TemplateError} naming the field, when a template fails. */
export async function renderEmail(
  step: Pick<EmailStep, 'subject' | 'html' | 'text'>,
  variables: TemplateVariables,
): Promise<RenderedEmail> {
  const rendered: Record<string, string> = {}
  for (const [field, engine, source] of templatesOf(step)) {
    try {
      const template: Template[] = engine.parse(source)
      rendered[field] = String(await engine.render(template, variables))
    } catch (error) {
      throw new TemplateError(`${field}: ${explain(error)}`, { cause: error })
    }
  }
  return {
    // A header is one line: a line break in a contact's name must not start another header.
    subject: (rendered['subject'] ?? '').replace(/\s+/g, ' ').trim(),
    html: rendered['html'] ?? null,
    text: rendered['text'] ?? null,
  }
}

function templatesOf(step: Pick<EmailStep, 'subject' | 'html' | 'text'>): [string, Liquid, string][] {
  const templates: [string, Liquid, string][] = [['subject', plain, step.subject]]
  if (step.html !== null) templates.push(['html', html, step.html])
  if (step.text !== null) templates.push(['text', plain, step.text])
  return templates
}

/** The first line of a Liquid error says what and where; the lines below repeat the template. */
function explain(error: unknown): string {
  if (LiquidError.is(error)) return error.message.split('\n', 1)[0] ?? 'invalid template'
  return error instanceof Error ? error.message : String(error)
}
