import { Button, Modal } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useMetadataKeys } from '../../../api/queries.ts'
import { CodeEditor } from '../../../components/CodeEditor.tsx'
import { ConflictDialog } from '../../../components/ConflictDialog.tsx'
import { stableJson } from '../../../lib/stable-json.ts'
import { useReturnFocus } from '../../../lib/use-return-focus.ts'
import { Colors } from '../../../editor/Colors.tsx'
import { fromDesign, toDesign } from '../../../editor/content.ts'
import { EditorWorkspace } from '../../../editor/EditorWorkspace.tsx'
import { UndoButtons } from '../../../editor/UndoButtons.tsx'
import classes from '../../../editor/editor.module.css'
import { SaveStatus } from '../../../primitives/SaveStatus.tsx'
import { useHistory } from '../../../primitives/use-history.ts'
import { bodyOf } from './fields.ts'
import type { CampaignDraft } from './use-campaign-draft.ts'

/** Designs the email of a campaign on the whole screen. Every change goes into the draft, which saves itself. */
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
  useReturnFocus()
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
  const dataKeys = useMetadataKeys()
  return (
    // Escape leaves a block.
    <Modal.Root opened onClose={onClose} fullScreen closeOnEscape={false}>
      <Modal.Content aria-label="Design the email">
        <Modal.Body p={0} className={classes.screen}>
          <header className={classes.bar}>
            <h2 className="cut">{fields.name}</h2>
            <SaveStatus state={save.state} isDirty={save.isDirty} onRetry={() => void save.flush()} />
            <span className="push row">
              <UndoButtons history={design} />
              <Button variant="filled" onClick={onClose}>
                Done
              </Button>
            </span>
          </header>
          {theirs && (
            <div className={classes.notices}>
              <ConflictDialog
                description="It was saved after you started editing."
                onUseTheirs={() => {
                  takeTheirs()
                  onClose()
                }}
                onSaveMine={() => void keepMine()}
              />
            </div>
          )}
          <EditorWorkspace
            isCampaign
            design={design}
            content={{ subject, previewText, text, ...bodyOf(fields) }}
            readOnly={false}
            onTestSent={onTestSent}
            settings={
              <div className="formFields">
                <Colors
                  theme={value.theme}
                  readOnly={false}
                  onChange={(theme) => design.change((now) => ({ ...now, theme }), 'colors')}
                />
                <CodeEditor
                  label="Plain text"
                  description="Leave empty to generate it."
                  keys={dataKeys}
                  value={text}
                  onChange={(written) => form.setFieldValue('text', written)}
                />
              </div>
            }
          />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
