import { Menu } from '@mantine/core'
import { IconClipboard } from '@tabler/icons-react'
import { AnchoredMenu } from './AnchoredMenu.tsx'
import type { Place } from './step-tree.ts'
import { STEP_GROUPS, STEP_TYPES } from './step-types.ts'
import type { StepType } from './steps.ts'

export interface Adding {
  place: Place
  anchor: DOMRect
}

const GROUPS = STEP_GROUPS.map((label) => ({
  label,
  types: (Object.keys(STEP_TYPES) as StepType[]).filter((type) => STEP_TYPES[type].group === label),
}))

/** Chooses the step to add at a place. */
export function AddStepMenu({
  adding: { place, anchor },
  onAdd,
  onPaste,
  onClose,
}: {
  adding: Adding
  onAdd: (type: StepType, place: Place) => void
  /** Present if steps were copied. */
  onPaste: ((place: Place) => void) | undefined
  onClose: () => void
}) {
  return (
    <AnchoredMenu anchor={anchor} label="Add step" onClose={onClose}>
      {GROUPS.map(({ label, types }) => [
        <Menu.Label key={label}>{label}</Menu.Label>,
        ...types.map((type) => {
          const { label: name, icon: Icon, key } = STEP_TYPES[type]
          return (
            <Menu.Item
              key={type}
              leftSection={<Icon aria-hidden />}
              rightSection={key && <kbd aria-hidden>{key}</kbd>}
              onClick={() => onAdd(type, place)}
              {...(type === 'EMAIL' && { 'data-autofocus': true })}
            >
              {name}
            </Menu.Item>
          )
        }),
      ])}
      {onPaste && (
        <>
          <Menu.Divider />
          <Menu.Item leftSection={<IconClipboard aria-hidden />} onClick={() => onPaste(place)}>
            Paste
          </Menu.Item>
        </>
      )}
    </AnchoredMenu>
  )
}
