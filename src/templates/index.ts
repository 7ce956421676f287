export {
  assertCompiles,
  compileTemplate,
  lengthOf,
  MAX_CHARACTERS,
  MAX_COMPILING_MS,
  contentFor,
  ignoredContentWarning,
  warningsOf,
} from './compile-template.ts'
export { recipientOf, renderFor } from './preview.ts'
export type { Design } from './design.ts'
export { design } from './design-schema.ts'
export {
  type CompiledContents,
  Template,
  TemplateVersion,
  WRITTEN_FORMATS,
  type WrittenContent,
  type WrittenFormat,
  type WrittenTemplate,
} from './entities.ts'
export { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND, VARIABLE_MISSING } from './errors.ts'
export { assertVariablesExist } from './never-set.ts'
export { TEMPLATE_LIMIT } from './schemas.ts'
export { getTemplate } from './templates.ts'
