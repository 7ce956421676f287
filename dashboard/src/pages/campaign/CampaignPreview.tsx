import { EmailPreview } from '../../components/EmailPreview.tsx'
import type { Content } from '../../editor/content.ts'
import type { Campaign } from '../campaigns/campaigns.ts'
import { TemplatePreview } from '../template/TemplatePreview.tsx'

/** Previews the email of a campaign. For an A/B test, this is the original variant. */
export function CampaignPreview({
  campaign,
  onTestSent,
}: {
  campaign: Pick<
    Campaign,
    'category' | 'templateId' | 'templateVersion' | 'format' | 'subject' | 'previewText' | 'html' | 'text' | 'design'
  >
  onTestSent?: () => void
}) {
  const { templateId, templateVersion, format, subject, previewText, html, text, design } = campaign
  const own = {
    ...(format !== null && { format: format as NonNullable<Content['format']> }),
    subject,
    previewText,
    html,
    text,
    // The composer keeps a design that code replaces, until it is chosen again.
    ...(design && format === 'BLOCKS' && { design }),
  }
  return (
    <>
      {/* A sent campaign keeps its content after its template is deleted. */}
      {templateId === null || html !== null || text !== null ? (
        <TemplatePreview content={own} category={campaign.category} {...(onTestSent && { onTestSent })} />
      ) : (
        <EmailPreview
          {...(onTestSent && { onTestSent })}
          category={campaign.category}
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
