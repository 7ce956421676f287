import { ActionIcon } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useMetadataKeys } from '../../api/queries.ts'
import { CodeEditor } from '../../components/CodeEditor.tsx'
import { toDesign } from '../../editor/content.ts'
import { DesignerScreen } from '../../editor/DesignerScreen.tsx'
import { useDesignHistory } from '../../editor/use-design-history.ts'
import type { Selected } from './canvas-context.ts'
import { designedStep } from './designed-step.ts'
import type { EditAction } from './draft.ts'
import type { Edit } from './fields/StepFields.tsx'
import type { TreeIndex } from './step-tree.ts'
import type { EmailStep } from './steps.ts'

interface DesignerProps {
  tree: TreeIndex
  selected: Selected
  act: (act: EditAction) => void
  select: (id: Selected) => void
  onClose: () => void
}

/** Designs the selected email of blocks on the whole screen, and leads to the one before and after it. */
export function StepDesigner({ tree, selected, act, select, onClose }: DesignerProps) {
  const step = designedStep(tree, selected)
  const ids = tree.order.filter((id) => designedStep(tree, id))
  const at = ids.indexOf(selected)
  if (!step) return null
  const opener = (id: string | undefined) => (id === undefined ? undefined : () => select(id))
  return (
    <Designer
      key={selected}
      step={step}
      edit={(fields) => act({ do: 'change', change: { do: 'edit', id: selected, fields } })}
      place={at + 1}
      count={ids.length}
      previous={opener(ids[at - 1])}
      next={opener(ids[at + 1])}
      onClose={onClose}
    />
  )
}

/** Every change goes into the draft of the automation. */
function Designer({
  step,
  edit,
  place,
  count,
  previous,
  next,
  onClose,
}: {
  step: EmailStep
  edit: Edit
  /** The place among the emails, from 1. */
  place: number
  count: number
  /** Opens another email; `undefined` without one in this direction. */
  previous: (() => void) | undefined
  next: (() => void) | undefined
  onClose: () => void
}) {
  const design = useDesignHistory(step.design, (changed) => edit({ design: changed }))
  const keys = useMetadataKeys()
  const { subject, previewText, text } = step
  const content = { subject, previewText, text, format: 'BLOCKS' as const, design: toDesign(design.value) }
  return (
    <DesignerScreen
      title={
        <span className="row">
          <ActionIcon variant="subtle" color="gray" aria-label="Previous email" disabled={!previous} onClick={previous}>
            <IconChevronLeft aria-hidden />
          </ActionIcon>
          Email {place} of {count}
          <ActionIcon variant="subtle" color="gray" aria-label="Next email" disabled={!next} onClick={next}>
            <IconChevronRight aria-hidden />
          </ActionIcon>
        </span>
      }
      category={step.category}
      design={design}
      content={content}
      text={text ?? ''}
      onText={(written) => edit({ text: written === '' ? null : written })}
      settings={
        <>
          <CodeEditor
            as="line"
            label="Subject"
            keys={keys}
            value={subject}
            onChange={(written) => edit({ subject: written })}
          />
          <CodeEditor
            as="line"
            label="Preview text"
            description="Inboxes show it after the subject."
            keys={keys}
            value={previewText ?? ''}
            onChange={(written) => edit({ previewText: written === '' ? null : written })}
          />
        </>
      }
      onClose={onClose}
    />
  )
}
