import { ConflictDialog } from '../../../components/ConflictDialog.tsx'
import { DesignerScreen } from '../../../editor/DesignerScreen.tsx'
import { useDesignHistory } from '../../../editor/use-design-history.ts'
import { SaveStatus } from '../../../primitives/SaveStatus.tsx'
import { bodyOf } from './fields.ts'
import type { CampaignDraft } from './use-campaign-draft.ts'

/** Designs the email of a campaign. Every change goes into the draft, which saves itself. */
export function EmailDesigner({
  draft: { form, fields, save, theirs, takeTheirs, keepMine },
  onTestSent,
  onClose,
}: {
  draft: CampaignDraft
  onTestSent: () => void
  onClose: () => void
}) {
  const design = useDesignHistory(fields.design, (changed) => form.setFieldValue('design', changed))
  const { subject, previewText, text } = fields
  return (
    <DesignerScreen
      isCampaign
      category={fields.category}
      title={fields.name}
      beside={<SaveStatus state={save.state} isDirty={save.isDirty} onRetry={() => void save.flush()} />}
      notices={
        theirs && (
          <ConflictDialog
            description="It was saved after you started editing."
            onUseTheirs={() => {
              takeTheirs()
              onClose()
            }}
            onSaveMine={() => void keepMine()}
          />
        )
      }
      design={design}
      content={{ subject, previewText, text, ...bodyOf(fields) }}
      text={text}
      onText={(written) => form.setFieldValue('text', written)}
      onTestSent={onTestSent}
      onClose={onClose}
    />
  )
}
