import { EmailPreview } from '../../components/EmailPreview.tsx'
import type { Campaign } from '../campaigns/campaigns.ts'
import { TemplatePreview } from '../template/TemplatePreview.tsx'

/** Previews the email of a campaign. For an A/B test, this is the original variant. */
export function CampaignPreview({
  campaign,
  onTestSent,
}: {
  campaign: Pick<Campaign, 'templateId' | 'templateVersion' | 'format' | 'subject' | 'previewText' | 'html' | 'text'>
  onTestSent?: () => void
}) {
  const { templateId, templateVersion, format, subject, previewText, html, text } = campaign
  const own = {
    ...(format !== null && { format: format as 'HTML' | 'MJML' }),
    subject,
    previewText,
    html,
    text,
  }
  return (
    <>
      {/* A sent campaign keeps its content after its template is deleted. */}
      {templateId === null || html !== null || text !== null ? (
        <TemplatePreview content={own} isPart={false} {...(onTestSent && { onTestSent })} />
      ) : (
        <EmailPreview
          {...(onTestSent && { onTestSent })}
          of={[templateId, templateVersion]}
          preview={async (api, forWhom, signal) => {
            const params = { path: { id: templateId } }
            const version = templateVersion === null ? {} : { version: String(templateVersion) }
            return (await api.POST('/templates/{id}/preview', { params, body: { ...version, ...forWhom }, signal }))
              .data.data
          }}
        />
      )}
    </>
  )
}
