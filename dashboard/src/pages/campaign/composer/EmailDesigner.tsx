import { useEffect, useRef } from 'react'
import { ConflictDialog } from '../../../components/ConflictDialog.tsx'
import { fromDesign, toDesign } from '../../../editor/content.ts'
import { DesignerScreen } from '../../../editor/DesignerScreen.tsx'
import { stableJson } from '../../../lib/stable-json.ts'
import { SaveStatus } from '../../../primitives/SaveStatus.tsx'
import { useHistory } from '../../../primitives/use-history.ts'
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
  const design = useHistory(() => fromDesign(fields.design))
  const { value } = design
  const latest = useRef(form)
  useEffect(() => void (latest.current = form))
  useEffect(() => {
    const now = toDesign(value)
    // Opening the editor changes nothing.
    const before = toDesign(fromDesign(latest.current.getValues().design))
    if (stableJson(now) !== stableJson(before)) latest.current.setFieldValue('design', now)
  }, [value])
  const { subject, previewText, text } = fields
  return (
    <DesignerScreen
      isCampaign
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
