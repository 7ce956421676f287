import type { Schemas } from '../../api/client.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { type Content, type EmailDesign, fromDesign, toDesign } from '../../editor/content.ts'

type Template = Schemas['Template']

/** Returns what the form edits of a template, apart from its blocks. */
export const fieldsOf = ({ name, format, layoutId, subject, previewText, html, text, translations }: Template) => ({
  name,
  format,
  layoutId,
  subject: subject ?? '',
  previewText: previewText ?? '',
  html: html ?? '',
  text: text ?? '',
  translations,
})
export type Fields = ReturnType<typeof fieldsOf>

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** Returns the request body without the name. */
export function contentOf(fields: Fields, design: EmailDesign): Content {
  const { format, layoutId, subject, previewText, html, text, translations } = fields
  const isOfBlocks = format === 'BLOCKS'
  return {
    format,
    subject: orNull(subject),
    previewText: orNull(previewText),
    html: isOfBlocks ? null : orNull(html),
    text: orNull(text),
    ...(isOfBlocks && { design: toDesign(design) }),
    layoutId: isOfBlocks ? null : layoutId,
    translations,
  }
}

/** Serializes the content of the form, for comparison. */
export const contentKeyOf = (name: string, content: Content) => stableJson([name, content])
export const templateKey = (template: Template) =>
  contentKeyOf(template.name, contentOf(fieldsOf(template), fromDesign(template.design)))
