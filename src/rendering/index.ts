export {
  type EmailContent,
  MAX_BODY_LENGTH,
  MAX_SUBJECT_LENGTH,
  type RenderedEmail,
  RendererBusy,
  RendererClosed,
  TemplateError,
  type TemplateProblem,
  type TemplateVariables,
  type UnknownVariable,
  type UsedVariable,
  usesGroups,
} from './content.ts'
export {
  type CompileProblem,
  MAX_DEPTH,
  TEMPLATE_FORMATS,
  TEMPLATE_KINDS,
  type TemplateKind,
  type TemplateSource,
} from './compiled.ts'
export { type Absent, mergeVariables, neverSet } from './known-variables.ts'
export { liquidParts } from './liquid-parts.ts'
export { createRenderer, type Renderer } from './renderer.ts'
