import { defineEntity, p } from '@mikro-orm/core'
import {
  type EmailContent,
  TEMPLATE_FORMATS,
  type TemplateKind,
  type TemplateSource,
  type UsedVariable,
} from '../rendering/index.ts'
import type { Design } from './design.ts'

/** The formats in which a template is written: code or blocks. */
export const WRITTEN_FORMATS = [...TEMPLATE_FORMATS, 'BLOCKS'] as const
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number]

/** A template as it is written: its own language, and translations by locale. */
export interface WrittenTemplate extends WrittenContent {
  format: WrittenFormat
  layoutId: string | null
  translations: Record<string, WrittenContent>
}

/** The content in one language. */
export interface WrittenContent extends Omit<TemplateSource, 'format'> {
  /** The blocks. If set, there is no HTML. */
  design?: Design | null
}

/** The content to render, in its own language and in the others. */
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

/** A reusable email, layout or partial. Its versions hold the content. */
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
    variables: p.json<UsedVariable[]>(),
    uses: p.array<string>().columnType('uuid[]'),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** An immutable version of a template. */
export class TemplateVersion extends versionTable.class {}
versionTable.setClass(TemplateVersion)
