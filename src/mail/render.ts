import type { EmailContent, RenderedEmail, TemplateVariables } from './render-content.ts'
import { createRenderer, type Renderer } from './renderer.ts'

export { TemplateError } from './render-content.ts'
export type { EmailContent, RenderedEmail, TemplateProblem, TemplateVariables } from './render-content.ts'

let shared: Renderer | undefined

/** Renders by a renderer of the process's own, for those who are not given one. Its threads keep no process alive. */
export const renderEmail = (content: EmailContent, variables: TemplateVariables): Promise<RenderedEmail> =>
  (shared ??= createRenderer()).render(content, variables)
