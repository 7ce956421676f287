import { EmailPreview } from '../../components/EmailPreview.tsx'
import { Section } from '../../layout/Page.tsx'
import type { Campaign } from '../campaigns/campaigns.ts'
import { TemplatePreview } from '../template/TemplatePreview.tsx'

/** What a campaign's recipients get, or have got. Of an A/B test it is the campaign's own way to say it. */
export function CampaignPreview({ campaign }: { campaign: Campaign }) {
  const { templateId, templateVersion, format, subject, previewText, html, text } = campaign
  const own = {
    ...(format !== null && { format: format as 'HTML' | 'MJML' }),
    subject,
    previewText,
    html,
    text,
  }
  return (
    <Section title="How it looks">
      {/* Of a template that is deleted it has what was made of it. */}
      {templateId === null || html !== null || text !== null ? (
        <TemplatePreview content={own} isPart={false} />
      ) : (
        <EmailPreview
          of={[templateId, templateVersion]}
          preview={async (api, forWhom, signal) => {
            const params = { path: { id: templateId } }
            const version = templateVersion === null ? {} : { version: String(templateVersion) }
            return (await api.POST('/templates/{id}/preview', { params, body: { ...version, ...forWhom }, signal }))
              .data.data
          }}
        />
      )}
    </Section>
  )
}
