import { Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useRef } from 'react'
import { useMetadataKeys } from '../api/queries.ts'
import { useIsPhone } from '../lib/use-is-phone.ts'
import { NodeFields } from './BlockFields.tsx'
import { nameOf } from './BlockFrame.tsx'
import { BLOCK_LABELS, type Theme } from './blocks.ts'
import { Canvas } from './Canvas.tsx'
import { typeOf } from './nodes.ts'
import { BLOCK_ICONS, EditorOutline, Palette } from './Palette.tsx'
import type { EditorProblem } from './problems.ts'
import type { BlockEditor } from './use-block-editor.ts'
import { variableOptions } from './variables.ts'
import classes from './editor.module.css'

/** Edits an email of blocks on a canvas, between the blocks to add and the settings of the selected one. */
export function EmailEditor({
  editor,
  theme,
  problems,
  readOnly,
  isCampaign,
  settings,
}: {
  editor: BlockEditor
  theme: Theme
  problems: readonly EditorProblem[]
  readOnly: boolean
  isCampaign: boolean
  /** The settings of the whole email, shown while no block is selected. */
  settings: ReactNode
}) {
  const dataKeys = useMetadataKeys()
  const isPhone = useIsPhone()
  const [isOpen, { open, close }] = useDisclosure()
  const aside = useRef<HTMLElement>(null)
  const focusSettings = () => aside.current?.querySelector<HTMLElement>('input, textarea, [contenteditable]')?.focus()
  const { selected } = editor
  const inspector = selected ? (
    <section aria-label={`Settings of ${nameOf(selected)}`} className="formFields">
      <InspectorHead at={selected} />
      <NodeFields
        key={selected.node.key}
        of={selected.node}
        name={nameOf(selected)}
        dataKeys={dataKeys}
        readOnly={readOnly}
        onChange={editor.change}
      />
    </section>
  ) : (
    settings
  )
  return (
    <div className={classes.editor}>
      {!isPhone && (
        <div className={classes.tools}>
          {!readOnly && <Palette editor={editor} />}
          <EditorOutline editor={editor} problems={problems} onSettings={focusSettings} />
        </div>
      )}
      <Canvas
        editor={editor}
        theme={theme}
        variables={variableOptions(dataKeys, { isCampaign })}
        readOnly={readOnly}
        onSettings={open}
        onFocusSettings={focusSettings}
      />
      {isPhone ? (
        selected ? (
          <Drawer
            opened={isOpen}
            onClose={close}
            position="bottom"
            size="70%"
            title="Settings"
            closeButtonProps={{ 'aria-label': 'Close' }}
          >
            {inspector}
          </Drawer>
        ) : (
          <div className={classes.settings}>{settings}</div>
        )
      ) : (
        <aside ref={aside} className={classes.settings}>
          {inspector}
        </aside>
      )}
    </div>
  )
}

function InspectorHead({ at }: { at: NonNullable<BlockEditor['selected']> }) {
  const type = typeOf(at.node)
  const Icon = BLOCK_ICONS[type]
  return (
    <h2 className="row">
      <Icon aria-hidden color="var(--accent)" />
      {BLOCK_LABELS[type]}
    </h2>
  )
}
