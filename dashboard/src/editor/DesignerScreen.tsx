import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMetadataKeys } from '../api/queries.ts'
import type { Category } from '../components/SendTestButton.tsx'
import { CodeEditor } from '../components/CodeEditor.tsx'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import type { Undoable } from '../primitives/use-history.ts'
import { Colors } from './Colors.tsx'
import type { Content, EmailDesign } from './content.ts'
import { EditorWorkspace } from './EditorWorkspace.tsx'
import { UndoButtons } from './UndoButtons.tsx'
import classes from './editor.module.css'

/** Designs an email on the whole screen, from a page that saves each change. */
export function DesignerScreen({
  title,
  beside,
  notices,
  design,
  content,
  text,
  onText,
  settings,
  isCampaign = false,
  category,
  onTestSent,
  onClose,
}: {
  title: ReactNode
  /** Stands beside the title, such as whether it is saved. */
  beside?: ReactNode
  notices?: ReactNode
  design: Undoable<EmailDesign>
  /** The content that would be saved. */
  content: Content
  /** The plain text; empty if it is generated. */
  text: string
  onText: (text: string) => void
  /** Settings of the email before its colors. */
  settings?: ReactNode
  isCampaign?: boolean
  category: Category
  onTestSent?: () => void
  onClose: () => void
}) {
  useReturnFocus()
  const dataKeys = useMetadataKeys()
  return (
    // Escape leaves a block.
    <Modal.Root opened onClose={onClose} fullScreen closeOnEscape={false}>
      <Modal.Content aria-label="Design the email">
        <Modal.Body p={0} className={classes.screen}>
          <header className={classes.bar}>
            <h2 className="cut">{title}</h2>
            {beside}
            <span className="push row">
              <UndoButtons history={design} />
              <Button variant="filled" onClick={onClose}>
                Done
              </Button>
            </span>
          </header>
          {notices !== undefined && <div className={classes.notices}>{notices}</div>}
          <EditorWorkspace
            isCampaign={isCampaign}
            category={category}
            design={design}
            content={content}
            readOnly={false}
            {...(onTestSent && { onTestSent })}
            settings={
              <div className="formFields">
                {settings}
                <Colors
                  theme={design.value.theme}
                  readOnly={false}
                  onChange={(theme) => design.change((now) => ({ ...now, theme }), 'colors')}
                />
                <CodeEditor
                  label="Plain text"
                  description="Leave empty to generate it."
                  keys={dataKeys}
                  value={text}
                  onChange={onText}
                />
              </div>
            }
          />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
