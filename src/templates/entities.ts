import { defineEntity, p } from '@mikro-orm/core'
import { type EmailContent, TEMPLATE_FORMATS, type TemplateKind, type TemplateSource } from '../rendering/index.ts'
import type { Design } from './design.ts'

/** What a template is made of: code, or blocks. */
export const WRITTEN_FORMATS = [...TEMPLATE_FORMATS, 'BLOCKS'] as const
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number]

/** A template as it is written: its own language, and others by their locales. */
export interface WrittenTemplate extends WrittenContent {
  format: WrittenFormat
  layoutId: string | null
  translations: Record<string, WrittenContent>
}

/** What it says in one language. */
export interface WrittenContent extends Omit<TemplateSource, 'format'> {
  /** Of blocks: which. It has no HTML then. */
  design?: Design | null
}

/** What is rendered: of its own language, and of the others. */
export interface CompiledContents {
  content: EmailContent | null
  translations: Record<string, EmailContent>
}

const templateTable = defineEntity({
  name: 'Template',
  tableName: 'templates',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    kind: p.text().$type<TemplateKind>(),
    name: p.text(),
    version: p.integer().onCreate(() => 1),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

/** An email that is kept; or what is around emails, or stands in several of them. What it says is in its versions. */
export class Template extends templateTable.class {}
templateTable.setClass(Template)

const versionTable = defineEntity({
  name: 'TemplateVersion',
  tableName: 'template_versions',
  properties: {
    templateId: p.uuid().primary(),
    version: p.integer().primary(),
    source: p.json<WrittenTemplate>(),
    compiled: p.json<CompiledContents>(),
    uses: p.array<string>().columnType('uuid[]'),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** What a template said at a time: never changed. */
export class TemplateVersion extends versionTable.class {}
versionTable.setClass(TemplateVersion)
