import { StarterChoice, useStarters } from '../../templates/StarterChoice.tsx'
import type { CampaignDraft } from './use-campaign-draft.ts'

/** The starters that need no data of a transactional email. */
const FOR_CAMPAIGNS = ['newsletter', 'welcome', 'trial-ends', 'win-back']

/** Offers designs for an email that is empty. A subject that is written stays. */
export function CampaignStarters({ draft: { form, fields } }: { draft: CampaignDraft }) {
  const starters = useStarters()?.filter(({ id }) => FOR_CAMPAIGNS.includes(id))
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
