import { checkTemplates, renderEmail, type RenderedEmail, type TemplateVariables } from './render.ts'
import type { EmailContent } from '../domain/steps.ts'

export interface Renderer {
  render(content: EmailContent, variables: TemplateVariables): Promise<RenderedEmail>
  check(content: EmailContent): Promise<{ field: string; problem: string }[]>
  close(): Promise<void>
}

export const createRenderer = (): Renderer => ({
  render: renderEmail,
  check: (content) => Promise.resolve(checkTemplates(content)),
  close: () => Promise.resolve(),
})
