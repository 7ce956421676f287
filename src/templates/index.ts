export {
  assertCompiles,
  compileTemplate,
  lengthOf,
  MOST_CHARACTERS,
  MOST_COMPILING_MS,
  overruled,
  warningsOf,
} from './compile-template.ts'
export { type CompiledContents, Template, TemplateVersion, type WrittenTemplate } from './entities.ts'
export { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND } from './refusals.ts'
export { TEMPLATE_LIMIT } from './schemas.ts'
export { getTemplate } from './templates.ts'
