export {
  type EmailContent,
  MAX_BODY_LENGTH,
  MAX_SUBJECT_LENGTH,
  type RenderedEmail,
  RendererBusy,
  RendererClosed,
  TemplateError,
  type TemplateVariables,
  type UnknownVariable,
} from './content.ts'
export { createRenderer, type Renderer } from './renderer.ts'
