import { EmailPreview } from '../../components/EmailPreview.tsx'
import { TemplatePreview } from '../template/TemplatePreview.tsx'
import { contentOf, type PreviewedCampaign, previewTemplate } from './campaign-content.ts'

/** Previews the email of a campaign. For an A/B test, this is the original variant. */
export function CampaignPreview({ campaign, onTestSent }: { campaign: PreviewedCampaign; onTestSent?: () => void }) {
  const { templateId, templateVersion, category } = campaign
  const content = contentOf(campaign)
  if (content) return <TemplatePreview content={content} category={category} {...(onTestSent && { onTestSent })} />
  return (
    <EmailPreview
      {...(onTestSent && { onTestSent })}
      category={category}
      of={[templateId, templateVersion]}
      preview={(...request) => previewTemplate(campaign, ...request)}
    />
  )
}
