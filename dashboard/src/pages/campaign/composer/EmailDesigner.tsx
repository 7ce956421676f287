import { Button, Modal } from '@mantine/core'
import { useEffect, useRef } from 'react'
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
  draft: { form, fields, save },
  onTestSent,
  onClose,
}: {
  draft: CampaignDraft
  onTestSent: () => void
  onClose: () => void
}) {
  const design = useHistory(() => fromDesign(fields.design))
  const { value } = design
  const first = useRef(value)
  const latest = useRef(form)
  useEffect(() => void (latest.current = form))
  useEffect(() => {
    if (value !== first.current) latest.current.setFieldValue('design', toDesign(value))
  }, [value])
  const { subject, previewText, text } = fields
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
          <EditorWorkspace
            design={design}
            content={{ subject, previewText, text, ...bodyOf(fields) }}
            readOnly={false}
            onTestSent={onTestSent}
            settings={
              <Colors
                theme={value.theme}
                readOnly={false}
                onChange={(theme) => design.change((now) => ({ ...now, theme }), 'colors')}
              />
            }
          />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
