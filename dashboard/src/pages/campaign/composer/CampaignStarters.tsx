import { StarterChoice, useStarters } from '../../templates/StarterChoice.tsx'
import type { CampaignDraft } from './use-campaign-draft.ts'

/** Offers designs for an email that is empty. A subject that is written stays. */
export function CampaignStarters({ draft: { form, fields } }: { draft: CampaignDraft }) {
  const starters = useStarters()?.filter(({ isForCampaigns }) => isForCampaigns)
  if (!starters) return null
  return (
    <StarterChoice
      starters={starters}
      onChoose={({ design, subject, previewText }) =>
        form.setValues({
          design,
          subject: fields.subject || (subject ?? ''),
          previewText: fields.previewText || (previewText ?? ''),
        })
      }
    />
  )
}
