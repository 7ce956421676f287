export { contentFor } from './compile-template.ts'
export { type CompiledContents, Template, TemplateVersion } from './entities.ts'
export { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND } from './refusals.ts'
export { getTemplate } from './templates.ts'
