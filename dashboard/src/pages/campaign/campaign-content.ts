import type { Api, Schemas } from '../../api/client.ts'
import type { PreviewRecipient } from '../../components/EmailPreview.tsx'
import type { Content } from '../../editor/content.ts'
import type { Campaign } from '../campaigns/campaigns.ts'

export type PreviewedCampaign = Pick<
  Campaign,
  'category' | 'templateId' | 'templateVersion' | 'format' | 'subject' | 'previewText' | 'html' | 'text' | 'design'
>

/** The content of a campaign without a template. A sent campaign keeps its content after its template is deleted. */
export function contentOf(campaign: PreviewedCampaign): Content | null {
  const { templateId, format, subject, previewText, html, text, design } = campaign
  if (templateId !== null && html === null && text === null) return null
  return {
    ...(format !== null && { format: format as NonNullable<Content['format']> }),
    subject,
    previewText,
    html,
    text,
    // The composer keeps a design that code replaces, until it is chosen again.
    ...(design && format === 'BLOCKS' && { design }),
  }
}

/** Renders the template of a campaign. */
export async function previewTemplate(
  { templateId, templateVersion }: PreviewedCampaign,
  api: Api,
  forWhom: PreviewRecipient,
  signal: AbortSignal,
): Promise<Schemas['TemplatePreview']> {
  const params = { path: { id: templateId! } }
  const version = templateVersion === null ? {} : { version: String(templateVersion) }
  return (await api.POST('/templates/{id}/preview', { params, body: { ...version, ...forWhom }, signal })).data.data
}
